import { describe, expect, it } from "vitest";
import { Configuration } from "../../model/settings/configuration.js";
import { CoordinatorError } from "../../model/errors.js";
import { mayBeShown } from "../../mind/plan/models/rank-workers.js";
import { configuredWorkers, workersOf } from "./configured-workers.js";
import { dataOf, holdForData, unseenPaths } from "./data-class.js";

const settings = (difference: object, project_agents: readonly string[] = []): Configuration => ({
  ...Configuration.parse({
    agents: {
      first: { command: ["first"], models: ["gpt-5", "gpt-5-mini"] },
      second: { command: ["second", "{model}"], model: "qwen3" },
      own: { command: ["own"] },
    },
    ...difference,
  }),
  ...(project_agents.length === 0 ? {} : { project_agents }),
});
const chosen = (configuration: Configuration, wanted: { agent?: string; model?: string } = {}) =>
  configuredWorkers(configuration, [], wanted)?.choices?.map(({ agent, model }) => `${agent} ${model ?? "-"}`);

describe("who can work", () => {
  it("is the default agent with each of its models, and those who are named to take over", () => {
    expect(chosen(settings({}))).toEqual(["first gpt-5", "first gpt-5-mini"]);
    expect(chosen(settings({ fallback_agents: ["own"] }))).toEqual(["first gpt-5", "first gpt-5-mini", "own -"]);
    expect(chosen(settings({ default_agent: "own" }))).toEqual(["own -"]);
    expect(chosen(settings({}), { agent: "second" })).toEqual(["second qwen3"]);
  });

  it("is only who serves the model that is asked for; nobody is a refusal that says who there is [S1-020]", () => {
    expect(chosen(settings({}), { model: "gpt-5-mini" })).toEqual(["first gpt-5-mini"]);
    expect(chosen(settings({}), { model: "second" })).toEqual(["second qwen3"]);
    const ask = () => chosen(settings({}), { agent: "second", model: "gpt-5" });
    expect(ask).toThrow(CoordinatorError);
    expect(ask).toThrow("can serve the model gpt-5; configured: second with qwen3");
  });

  it("costs what the settings say of a model before what anybody else does", () => {
    const price = { usd_per_million_in: 9, usd_per_million_out: 9, as_of: "2026-01-01" };
    const prices = workersOf("first", settings({ model_prices: { "gpt-5": price } }), []).map((worker) => worker.price);
    expect(prices).toEqual([price, expect.objectContaining({ usd_per_million_in: 0.25 })]);
    expect(workersOf("own", settings({}), [])[0]?.price).toBeNull();
  });
});

describe("who may be shown confidential data [S4-055]", () => {
  const of = (configuration: Configuration, name: string) => {
    const [worker] = workersOf(name, configuration, []);
    if (worker === undefined) throw new Error(name);
    return worker;
  };
  const may = (configuration: Configuration, name: string, sensitivity: "confidential" | "restricted") =>
    mayBeShown(of(configuration, name), sensitivity, "internal").allowed;

  it("is who is marked local or accepted for that class, by agent or by model", () => {
    const marked = settings({ data_agents: { local: ["own"], confidential: ["first/gpt-5"], restricted: ["second"] } });
    expect((["first", "second", "own"] as const).map((name) => may(marked, name, "confidential"))).toEqual([
      true,
      true,
      true,
    ]);
    expect((["first", "second", "own"] as const).map((name) => may(marked, name, "restricted"))).toEqual([
      false,
      true,
      true,
    ]);
    expect(may(settings({}), "first", "confidential")).toBe(false);
    expect(workersOf("first", marked, []).map(({ accepts }) => accepts !== undefined)).toEqual([true, false]);
  });

  it("is never an agent that a project put under a marked name", () => {
    const marked = { data_agents: { local: ["own"], restricted: ["second"] } };
    const replaced = settings(marked, ["own", "second"]);
    expect([may(replaced, "own", "confidential"), may(replaced, "second", "restricted")]).toEqual([false, false]);
    expect(may(settings(marked, ["first"]), "own", "restricted")).toBe(true);
  });

  it("follows from the most sensitive of plan, paths and documents", () => {
    const paths = settings({ data_paths: { confidential: ["data/**"], restricted: ["data/health/**"] } });
    const task = (files: string[]) => dataOf({ data_sensitivity: "internal", files, tests: [] }, [], paths).sensitivity;
    expect(
      [["src/a.ts"], ["src/**"], ["data/**"], ["data/a.csv"], ["data/a.csv", "data/health/b.csv"]].map(task),
    ).toEqual(["internal", "internal", "confidential", "confidential", "restricted"]);
    const given = dataOf({ data_sensitivity: "public" }, [{ ref: "data/health/report.md" }], paths);
    expect(given).toEqual({ sensitivity: "restricted", because: "it is given data/health/report.md (data_paths)" });
    expect(holdForData(of(paths, "own"), given)?.question).toContain("data_agents: {restricted: [own]}");
    expect(unseenPaths(of(paths, "own"), paths)).toEqual(["data/**", "data/health/**"]);
    const accepted = settings({ data_agents: { confidential: ["own"] }, data_paths: paths.data_paths });
    expect(unseenPaths(of(accepted, "own"), accepted)).toEqual(["data/health/**"]);
  });
});
