import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { importsOf, type SourceFile, sourceFiles } from "./source-files.js";

/*
 * Who may import whom (Gate D). A folder that is not in this table may not exist: whoever adds one decides here where
 * it stands. `libraries` are the only packages a folder may name; `node` says whether it may touch Node.js at all.
 */
interface Layer {
  readonly folders: readonly string[];
  readonly libraries: readonly string[];
  readonly node: boolean;
}

const MIND = ["model", "rules", "text"];
const LAYERS: Readonly<Record<string, Layer>> = {
  model: { folders: [], libraries: ["zod"], node: false },
  rules: { folders: ["model"], libraries: ["@marcbachmann/cel-js"], node: false },
  text: { folders: [], libraries: [], node: false },
  adr: { folders: ["model", "text"], libraries: [], node: false },
  intake: { folders: MIND, libraries: ["zod"], node: false },
  route: { folders: [...MIND, "intake"], libraries: ["zod"], node: false },
  plan: { folders: [...MIND, "intake", "route"], libraries: ["zod"], node: false },
  gate: { folders: ["model"], libraries: [], node: false },
  run: { folders: ["model", "gate"], libraries: ["zod"], node: false },
  report: { folders: ["model", "run", "gate", "plan", "queue"], libraries: ["zod"], node: false },
  engine: { folders: ["model", "run", "store", "crash-points"], libraries: [], node: false },
  documents: { folders: ["model", "files"], libraries: ["yaml"], node: true },
  registry: { folders: ["model", "documents", "files"], libraries: ["yaml", "zod"], node: true },
  facts: { folders: ["model", "documents", "text", "files"], libraries: ["zod"], node: true },
  // From words to an intent: planners propose (pure), the flow leads from stage to stage.
  planner: { folders: [...MIND, "adr", "plan", "propose", "memory"], libraries: ["zod"], node: false },
  flow: { folders: [...MIND, "adr", "intake", "route", "plan", "planner", "run"], libraries: [], node: false },
  store: {
    folders: ["model", "plan", "crash-points", "processes", "files"],
    libraries: ["@photostructure/sqlite", "zod"],
    node: true,
  },
  testing: {
    folders: ["model", "plan", "run", "gate", "store", "crash-points", "agents", "workspace", "secrets"],
    libraries: ["zod", "vitest"],
    node: true,
  },
  "crash-points": { folders: [], libraries: [], node: false },
  // The hands' safety: what may be done (pure), where it is done, and who does it.
  secrets: { folders: [], libraries: [], node: false },
  scope: { folders: ["model", "rules", "secrets"], libraries: ["zod"], node: false },
  workspace: { folders: ["model", "rules", "crash-points", "processes", "files"], libraries: ["zod"], node: true },
  agents: {
    folders: ["model", "workspace", "scope", "secrets", "documents", "version", "files"],
    libraries: ["@agentclientprotocol/sdk", "zod"],
    node: true,
  },
  execute: {
    folders: [
      "model",
      "processes",
      "files",
      "run",
      "plan",
      "rules",
      "scope",
      "secrets",
      "workspace",
      "agents",
      "verify",
      "review",
      "engine",
      "store",
      "documents",
      "crash-points",
      "models",
      "planner",
      "propose",
      "specify",
    ],
    libraries: ["zod"],
    node: true,
  },
  // Who may propose (the port and how it is asked), what becomes of an Intent Spec, and the models.
  propose: { folders: ["model", "run"], libraries: ["zod"], node: false },
  specify: { folders: [...MIND, "propose", "memory"], libraries: ["zod"], node: false },
  memory: { folders: ["model", "text"], libraries: [], node: false },
  models: { folders: ["model", "plan", "propose", "agents"], libraries: ["zod"], node: true },
  verify: {
    folders: ["model", "rules", "scope", "secrets", "workspace", "files"],
    libraries: ["saxes", "zod"],
    node: true,
  },
  review: { folders: ["model", "rules", "workspace", "crash-points", "files"], libraries: ["yaml", "zod"], node: true },
  // What the Coordinator may do at all, and the files people read: the queue, the board, handoffs.
  contract: { folders: ["model", "documents", "engine", "files"], libraries: [], node: true },
  queue: { folders: ["model", "run"], libraries: [], node: false },
  board: {
    folders: ["model", "run", "runs", "queue", "report", "contract", "store", "crash-points", "files"],
    libraries: ["zod"],
    node: true,
  },
  // What a project asks for beyond itself is judged by what a sandbox would show and reach.
  configuration: {
    folders: ["model", "documents", "files", "registry", "workspace", "agents"],
    libraries: ["yaml", "zod"],
    node: true,
  },
  // The runs of one project, as the fronts see them.
  runs: {
    folders: ["model", "run", "gate", "report", "store", "engine", "crash-points", "processes", "files"],
    libraries: ["zod"],
    node: true,
  },
  processes: { folders: [], libraries: [], node: true },
  // What is written down passes it: it knows what must not be.
  files: { folders: ["model", "secrets"], libraries: [], node: true },
  version: { folders: [], libraries: [], node: false },
  coordinator: { folders: [...MIND, "intake", "route", "plan"], libraries: [], node: false },
  compose: { folders: ["coordinator", "default-parts"], libraries: [], node: false },
  "default-parts": { folders: ["coordinator", "store", "version"], libraries: [], node: true },
  // A library call that starts the program: it shares nothing with it but what goes in and out.
  "process-request": { folders: ["model"], libraries: [], node: true },
  index: {
    folders: [
      "adr",
      "coordinator",
      "compose",
      "model",
      "plan",
      "registry",
      "intake",
      "route",
      "run",
      "runs",
      "gate",
      "engine",
      "planner",
      "process-request",
      "propose",
      "review",
      "specify",
      "store",
    ],
    libraries: [],
    node: false,
  },
  cli: {
    folders: [
      "adr",
      "agents",
      "board",
      "contract",
      "coordinator",
      "compose",
      "configuration",
      "default-parts",
      "documents",
      "execute",
      "facts",
      "files",
      "flow",
      "intake",
      "memory",
      "model",
      "plan",
      "planner",
      "queue",
      "registry",
      "report",
      "route",
      "rules",
      "runs",
      "scope",
      "secrets",
      "store",
      "version",
      "workspace",
    ],
    libraries: ["commander", "picocolors", "yaml", "zod"],
    node: true,
  },
};

/** The folders that decide and do nothing else. */
const PURE = (
  "model rules text adr intake route plan planner flow run gate report scope " +
  "specify propose memory queue secrets coordinator"
).split(" ");

/** `plan/graph/draft.ts` stands in plan; `coordinator.ts` stands for itself. */
function layerOf(path: string): string {
  return path.includes("/") ? (path.split("/")[0] as string) : path.replace(/\.ts$/, "");
}

function violations({ path, text }: SourceFile): string[] {
  const name = layerOf(path);
  const layer = LAYERS[name];
  if (layer === undefined) return [`${path}: no layer is declared for ${name}`];
  return importsOf(text).flatMap((target) => {
    if (target.startsWith(".")) {
      const other = layerOf(posix.normalize(posix.join(posix.dirname(path), target)).replace(/\.js$/, ".ts"));
      return other === name || layer.folders.includes(other) ? [] : [`${path}: ${name} may not import ${other}`];
    }
    if (target.startsWith("node:")) return layer.node ? [] : [`${path}: ${name} may not import ${target}`];
    return layer.libraries.includes(target) ? [] : [`${path}: ${name} may not import ${target}`];
  });
}

/** What the mind may not name: clocks, chance, the process, the network, timers, and anything that executes. */
const FORBIDDEN =
  /\b(Date\.now|new Date\b|Date\(\)|Math\.random|performance\.now|process\.|globalThis\.|setTimeout|setInterval|setImmediate|queueMicrotask|fetch\(|XMLHttpRequest|WebSocket|child_process|subprocess|execSync|spawnSync|execFile|eval\(|new Function\b|crypto\.)/;

function forbidden({ path, text }: SourceFile): string[] {
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))
    .replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""')
    .split("\n");
  return code.flatMap((line, i) => {
    const match = FORBIDDEN.exec(line.replace(/\/\/.*$/, ""));
    return match === null ? [] : [`${path}:${i + 1}: ${match[0]}`];
  });
}

describe("Gate D: the layering", () => {
  const files = sourceFiles();

  it("sees the files it judges", () => {
    expect(files.length).toBeGreaterThan(60);
  });

  it("lets the level review ask no store [S2-010]", () => {
    expect(LAYERS["review"]?.folders).not.toContain("store");
  });

  it("lets whoever decides neither propose tasks, nor manage specialists, nor use tools [S1-013, S1-103]", () => {
    for (const name of ["intake", "route", "plan", "gate", "run", "coordinator"]) {
      const { folders = [], libraries = [], node } = LAYERS[name] ?? {};
      expect(folders.filter((folder) => ["planner", "flow", "agents", "execute", "engine"].includes(folder))).toEqual(
        [],
      );
      expect([node, libraries.filter((library) => /mcp|modelcontextprotocol/.test(library))]).toEqual([false, []]);
    }
  });

  it("lets no folder import what it may not [S4-018, S4-069, S4-097, S4-105]", () => {
    expect(files.flatMap(violations)).toEqual([]);
  });

  it("finds no execution symbol, clock, chance or network in the mind [S4-018, S4-019, S4-077]", () => {
    expect(files.filter(({ path }) => PURE.includes(layerOf(path))).flatMap(forbidden)).toEqual([]);
  });

  it.each([
    ["plan/x.ts", 'import { spawn } from "node:child_process";'],
    ["plan/x.ts", 'import { open } from "../store/plan-folder.js";'],
    ["plan/x.ts", 'const net = await import("node:net");'],
    ["plan/x.ts", 'export * from "../agents/acp.js";'],
    ["plan/x.ts", 'import {\n  a,\n  b,\n} from "node:fs";'],
    ["plan/x.ts", 'import "node:fs";'],
    ["model/x.ts", 'import { plan } from "../plan/plan.js";'],
    ["route/x.ts", 'import { plan } from "../plan/plan.js";'],
    ["plan/x.ts", 'import yaml from "yaml";'],
    ["drawer/x.ts", "export {};"],
  ])("would refuse %s with %s", (path, text) => {
    expect(violations({ path, text })).toHaveLength(1);
  });

  it.each([
    "const t = Date.now();",
    "const d = new Date();",
    "Math.random()",
    "setTimeout(f, 1)",
    "process.env",
    "eval('1')",
  ])("would find %s", (text) => {
    expect(forbidden({ path: "plan/x.ts", text })).toHaveLength(1);
  });

  it("is not fooled by words in strings and comments", () => {
    expect(
      forbidden({ path: "plan/x.ts", text: '// Date.now is not used\nconst s = "Math.random";\n/* process. */' }),
    ).toEqual([]);
  });
});
