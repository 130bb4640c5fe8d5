import type { ReachStatus } from "./trust-status.js";

/* The settings of a project without what has no effect. Nothing else of them changes. */

type Fields = Readonly<Record<string, unknown>>;

/** Contract: pure. Agents stay where they are, so that nobody else takes their place: who is withheld is refused by name. */
export function withhold(settings: object, held: readonly ReachStatus[]): object {
  const names = (kind: ReachStatus["kind"]) =>
    new Set(held.filter((reach) => reach.kind === kind).map(({ name }) => name));
  const left = (list: unknown, out: ReadonlySet<string>): unknown =>
    Array.isArray(list) ? list.filter((each) => !out.has(String(each))) : list;
  const at = (key: string, change: (value: Fields) => Fields) => (fields: Fields) => {
    const value = fields[key];
    return typeof value === "object" && value !== null ? { ...fields, [key]: change(value as Fields) } : fields;
  };
  const keep = (key: string, out: ReadonlySet<string>) => (fields: Fields) =>
    key in fields ? { ...fields, [key]: left(fields[key], out) } : fields;
  const changes = [
    at("workspace", keep("tools", names("tool"))),
    at("workspace", at("setup", keep("mounts", names("mount")))),
    at("workspace", at("setup", keep("caches", names("cache")))),
    at("workspace", (workspace) => (names("folder").size > 0 ? without(workspace, new Set(["folder"])) : workspace)),
    at("record", (record) => {
      if (!("anchor" in record)) return record;
      const places = [record["anchor"]].flat();
      return { ...record, anchor: left(places, names("anchor")) };
    }),
    at("scope", keep("network", names("host"))),
    at("models", (models) => without(models, names("model"))),
    at("model_prices", (prices) => without(prices, names("price"))),
    at("run", (run) => without(run, names("approval"))),
  ];
  return changes.reduce<Fields>((fields, change) => change(fields), settings as Fields);
}

function without(fields: Fields, names: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}

/** Contract: pure. The names of the project's agents that wait. */
export function heldAgents(held: readonly ReachStatus[]): string[] {
  return held.filter(({ kind }) => kind === "agent").map(({ name }) => name);
}
