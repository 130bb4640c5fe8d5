import { describe, expect, it } from "vitest";
import {
  policyWith,
  baseIntent,
  intentWith,
  inputsWith,
  registryWith,
  seal,
  task,
  workbench,
} from "../../testing/plan-fixtures.js";
import { findIdProblems, findLimitProblems, findUnsafePaths } from "./inputs/intent-problems.js";
import { type ParsedIntent, parseIntent } from "./parse-intent.js";
import { checkVersionDrift, registryVersions, validateRegistryRefs } from "./inputs/registry-references.js";
import { indexRegistry } from "./inputs/registry-index.js";

function parsed(document: unknown): ParsedIntent {
  const result = parseIntent(document);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.parsed;
}
function problems(document: unknown) {
  const result = parseIntent(document);
  return result.ok ? [] : result.problems;
}
const places = (found: readonly { code: string; path: string }[]) => found.map(({ code, path }) => `${code} ${path}`);

describe("parseIntent", () => {
  it("gives workflows with phases, agents with roles, commands with effects and risk, and constraints [S4-021, S4-024, S4-025, S4-026]", () => {
    const intent = baseIntent();
    expect(parsed(intent)).toMatchObject({
      schemaVersion: "0.9.1",
      workflows: [{ workflow_id: "small_change", phases: ["analysis", "implementation", "validation"] }],
      agents: [
        { agent_id: "analyst", role: "Analyst" },
        { agent_id: "builder", role: "Builder" },
      ],
      commands: [
        { command_id: "scan_code", effects: ["read"], risk_level: "low" },
        { command_id: "edit_code", effects: ["write"], risk_level: "low" },
        { command_id: "check_code", effects: ["read"], risk_level: "low" },
      ],
      tasks: [],
      constraints: { execution: "forbidden", lock_scope: { mode: "none", paths: [] }, budgets: intent.budgets },
    });
  });

  it("reads v1.0.0 with its tasks [S4-021]", () => {
    const { schemaVersion, tasks } = parsed(intentWith({ tasks: [task("T-1"), task("T-2")] }));
    expect({ schemaVersion, ids: tasks.map(({ id }) => id) }).toEqual({ schemaVersion: "1.0.0", ids: ["T-1", "T-2"] });
  });

  it("changes nothing in the document it reads", () => {
    const document = intentWith({ tasks: [task("T-1")] });
    const before = structuredClone(document);
    expect(parsed(document).intent).toEqual(before);
    expect(document).toEqual(before);
  });

  it("lists every problem with its place, unknown fields one by one [S4-027, S4-098]", () => {
    const intent = { ...baseIntent(), title: "Hi", surprise: 1, another: 2, risk: { overall: "low", drivers: [] } };
    expect(places(problems(intent))).toEqual([
      "INTENT_SCHEMA title",
      "INTENT_SCHEMA risk.drivers",
      "INTENT_SCHEMA risk.requires_review",
      "INTENT_SCHEMA surprise",
      "INTENT_SCHEMA another",
    ]);
  });

  it.each(["0.9.1", "2.0.0", 1, null])("does not know version %j", (schema_version) => {
    expect(places(problems({ ...baseIntent(), schema_version }))).toEqual(["INTENT_VERSION schema_version"]);
  });

  it("says how to mend tasks in an intent of v0.9.1", () => {
    expect(problems({ ...baseIntent(), tasks: [] })).toEqual([
      expect.objectContaining({ path: "tasks", fix: expect.stringContaining('"schema_version": "1.0.0"') as string }),
    ]);
  });

  it.each([null, undefined, 1, "intent", true, []])("refuses %j without throwing", (document) => {
    expect(problems(document)).not.toEqual([]);
  });

  it("v1.0.0 has no fixed length of its lists; v0.9.1 takes 200 files and not 201 [S4-093]", () => {
    const files = (count: number) => Array.from({ length: count }, (_, i) => `src/${i}.ts`);
    const of = (count: number, version: object) => {
      const intent = { ...baseIntent(), ...version };
      intent.scope.targets.files = files(count);
      return places(problems(intent));
    };
    expect(of(200, {})).toEqual([]);
    expect(of(201, {})).toEqual(["INTENT_SCHEMA scope.targets.files"]);
    expect(of(201, { schema_version: "1.0.0" })).toEqual([]);
  });
});

describe("findIdProblems", () => {
  const found = (...args: Parameters<typeof intentWith>) => places(findIdProblems(parsed(intentWith(...args))));

  it("finds nothing in the base intent", () => {
    expect(found()).toEqual([]);
  });

  it("finds what stands twice", () => {
    expect(
      found({
        intent: (i) => {
          i.planned_commands.push({ ...(i.planned_commands[0] as (typeof i.planned_commands)[number]) });
          i.selected_agents.push({ ...(i.selected_agents[0] as (typeof i.selected_agents)[number]) });
          i.selected_workflows.push({ workflow_id: "small_change", phases: ["release", "release"] });
        },
        tasks: [task("T-1"), task("T-1")],
      }),
    ).toEqual([
      "INTENT_DUPLICATE_ID selected_workflows[1].workflow_id",
      "INTENT_DUPLICATE_ID selected_agents[2].agent_id",
      "INTENT_DUPLICATE_ID planned_commands[3].command_id",
      "INTENT_DUPLICATE_ID tasks[1].id",
      "INTENT_DUPLICATE_ID selected_workflows[1].phases[1]",
    ]);
  });

  it("finds references of tasks that lead nowhere", () => {
    const lost = task("T-1", { command_id: "unknown_one", agent: "nobody", dependencies: ["T-9"] });
    expect(found({ tasks: [lost] })).toEqual([
      "INTENT_REFERENCE tasks[0].command_id",
      "INTENT_REFERENCE tasks[0].agent",
      "INTENT_REFERENCE tasks[0].dependencies[0]",
    ]);
  });

  it("refuses a task that has the name of a command which is an action of its own: an action's key is unique", () => {
    expect(found({ tasks: [task("scan_code")] })).toEqual(["INTENT_DUPLICATE_ID tasks[0].id"]);
    expect(found({ tasks: [task("edit_code")] })).toEqual([]);
  });
});

describe("findUnsafePaths", () => {
  it.each(["../up", "a/../../b", "/etc/passwd", "C:\\x", "C:/x", "a\\b", "nul\0byte", ".."])("refuses %j", (path) => {
    const intent = intentWith({
      intent: (i) => {
        i.scope.targets.files = ["src/ok.ts", path];
        i.constraints.lock_scope = { mode: "files", paths: [path] };
      },
      tasks: [task("T-1", { files: [path], tests: [path] })],
    });
    expect(places(findUnsafePaths(parsed(intent)))).toEqual([
      "INTENT_UNSAFE_PATH scope.targets.files[1]",
      "INTENT_UNSAFE_PATH constraints.lock_scope.paths[0]",
      "INTENT_UNSAFE_PATH tasks[0].files[0]",
      "INTENT_UNSAFE_PATH tasks[0].tests[0]",
    ]);
  });

  it.each(["a..b", "..a/b", "src/**/*.ts", "src/...", "ünïcode/a b.ts"])("lets %j pass", (path) => {
    const intent = intentWith({ intent: (i) => (i.scope.targets.files = [path]) });
    expect(findUnsafePaths(parsed(intent))).toEqual([]);
  });
});

describe("findLimitProblems", () => {
  it("names each limit that is broken, and nothing at the limit itself [S4-093]", () => {
    const { limits } = policyWith((p) => {
      Object.assign(p.limits, { max_files: 1, max_commands: 3, max_tasks: 1, max_modules: 1, max_evidence_refs: 1 });
    });
    const at = parsed(intentWith({ tasks: [task("T-1")] }));
    expect(findLimitProblems(at, limits)).toEqual([]);
    const over = parsed(
      intentWith({
        intent: (i) => {
          i.scope.targets.files.push("src/b.ts");
          i.scope.targets.modules.push("one", "two");
          i.evidence_refs.push("ticket://2");
          i.planned_commands.push({ ...(i.planned_commands[0] as (typeof i.planned_commands)[number]) });
          i.constraints.lock_scope.paths.push("src/a.ts", "src/b.ts");
        },
        tasks: [task("T-1"), task("T-2")],
      }),
    );
    expect(findLimitProblems(over, limits).map(({ path, message }) => `${path} ${message}`)).toEqual([
      "scope.targets.files has 2 entries; the limit max_files is 1",
      "constraints.lock_scope.paths has 2 entries; the limit max_files is 1",
      "scope.targets.modules has 2 entries; the limit max_modules is 1",
      "planned_commands has 4 entries; the limit max_commands is 3",
      "evidence_refs has 2 entries; the limit max_evidence_refs is 1",
      "tasks has 2 entries; the limit max_tasks is 1",
    ]);
  });
});

describe("validateRegistryRefs", () => {
  it("lists what is missing, deprecated or frozen, of every kind [S4-022]", () => {
    const registry = registryWith((r) => {
      r.workflows = [];
      for (const a of r.agents) a.status = "deprecated";
      for (const c of r.commands) if (c.id === "edit_code") c.status = "frozen";
      r.commands = r.commands.filter((c) => c.id !== "scan_code");
    });
    expect(validateRegistryRefs(parsed(baseIntent()), indexRegistry(registry))).toEqual([
      { kind: "workflow", id: "small_change", why: "missing" },
      { kind: "agent", id: "analyst", why: "deprecated" },
      { kind: "agent", id: "builder", why: "deprecated" },
      { kind: "command", id: "scan_code", why: "missing" },
      { kind: "command", id: "edit_code", why: "frozen" },
    ]);
  });

  it("lists nothing when everything is there and active [S4-022]", () => {
    expect(validateRegistryRefs(parsed(baseIntent()), indexRegistry(registryWith()))).toEqual([]);
  });
});

describe("version drift", () => {
  const versions = () => {
    const { registry } = inputsWith();
    return registryVersions(parsed(baseIntent()), registry.registry, registry.index);
  };

  it("records what the intent names and every active rule, by id [S4-023, S4-061]", () => {
    expect(versions()).toEqual({
      workflows: { small_change: "1.0.0" },
      agents: { analyst: "1.0.0", builder: "1.0.0" },
      commands: { check_code: "1.0.0", edit_code: "1.0.0", scan_code: "1.0.0" },
      rules: { allow_reading: "1.0.0", allow_writing: "1.0.0" },
    });
  });

  it("finds an entry that changed and one that was removed [S4-023]", () => {
    const changed = registryWith((r) => {
      for (const c of r.commands) if (c.id === "edit_code") c.version = "1.1.0";
      r.rules = r.rules.filter((x) => x.id !== "allow_reading");
    });
    expect(checkVersionDrift(versions(), indexRegistry(changed))).toEqual([
      { kind: "commands", id: "edit_code", was: "1.0.0", is: "1.1.0" },
      { kind: "rules", id: "allow_reading", was: "1.0.0", is: "removed" },
    ]);
  });

  it("finds none in the same registry, and none when nothing was recorded [S4-023]", () => {
    const index = indexRegistry(registryWith());
    expect(checkVersionDrift(versions(), index)).toEqual([]);
    expect(checkVersionDrift(undefined, index)).toEqual([]);
  });
});

it("the checksum of an intent does not cover itself and covers all else", () => {
  const sealed = seal(baseIntent());
  expect(seal(sealed).audit.checksum).toBe(sealed.audit.checksum);
  expect(seal({ ...sealed, title: "Another title" }).audit.checksum).not.toBe(sealed.audit.checksum);
});

describe("listActions", () => {
  const writes = (difference: Parameters<typeof workbench>[0]) =>
    workbench(difference).actions.map(({ key, writes: paths, outsideLockScope }) => [key, paths, outsideLockScope]);

  it("makes one action of each task, and of each command that no task carries out", () => {
    expect(workbench({ tasks: [task("T-1"), task("T-2")] }).actions.map(({ key }) => key)).toEqual([
      "scan_code",
      "check_code",
      "T-1",
      "T-2",
    ]);
  });

  it("lets a writing command without patterns write what the intent targets", () => {
    expect(
      writes({
        registry: (r) => {
          for (const c of r.commands) c.writes = [];
        },
        intent: (i) => (i.scope.targets.files = ["docs/a.md"]),
      }),
    ).toEqual([
      ["scan_code", [], []],
      ["edit_code", ["docs/a.md"], []],
      ["check_code", [], []],
    ]);
  });

  it.each([
    ["none", ["elsewhere"], []],
    ["files", ["src/app.ts"], []],
    ["files", ["src/"], []],
    ["files", ["src"], []],
    ["files", ["src/**"], []],
    ["files", ["src/*.ts"], []],
    ["files", ["lib/**", "src/app.js"], ["src/app.ts"]],
    ["files", [], ["src/app.ts"]],
    ["files", ["sr"], ["src/app.ts"]],
  ] as const)("lock scope %s of %j leaves %j outside", (mode, paths, outside) => {
    const all = writes({ intent: (i) => (i.constraints.lock_scope = { mode, paths: [...paths] }) });
    expect(all[1]).toEqual(["edit_code", ["src/app.ts"], outside]);
  });

  it("lock scope task lets a task write its own files and tests and nothing else", () => {
    const own = task("T-1", { files: ["src/new.ts"], tests: ["test/new.ts"] });
    const all = writes({ tasks: [own], intent: (i) => (i.constraints.lock_scope = { mode: "task", paths: [] }) });
    expect(all[2]).toEqual(["T-1", ["src/app.ts", "src/new.ts", "test/new.ts"], ["src/app.ts"]]);
  });

  it.each([
    ["src/**", "src/lib/*.ts", true],
    ["src/*.ts", "src/**", false],
    ["**", "any/**", true],
  ])("whether the lock %s covers the pattern %s is %s", (lock, pattern, covered) => {
    const all = writes({
      registry: (r) => {
        for (const c of r.commands) if (c.id === "edit_code") c.writes = [pattern];
      },
      intent: (i) => (i.constraints.lock_scope = { mode: "files", paths: [lock] }),
    });
    expect(all[1]?.[2]).toEqual(covered ? [] : [pattern]);
  });

  it("adds effects the registry knows of and the intent does not declare", () => {
    const { actions } = workbench({
      registry: (r) => {
        for (const c of r.commands) if (c.id === "edit_code") c.effects = ["network", "write"];
      },
    });
    expect(actions[1]).toMatchObject({ effects: ["write", "network"], undeclaredEffects: ["network"] });
  });
});
