import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { importsOf, type SourceFile, sourceFiles } from "./source-files.js";

/*
 * Who may import whom (Gate D), by path: the model is imported by all, foundation builds on it, the mind on both, hands
 * on the mind, app on hands, and fronts on app. A folder that is not in this table may not exist: decide here where a new
 * one stands. `libraries` are the only packages a folder may name.
 */
interface Layer {
  readonly imports: readonly string[];
  readonly libraries: readonly string[];
}

const LAYERS: Readonly<Record<string, Layer>> = {
  model: { imports: [], libraries: ["zod"] },
  foundation: {
    imports: ["model"],
    libraries: [
      "@marcbachmann/cel-js",
      "mdast-util-from-markdown",
      "mdast-util-gfm-table",
      "micromark-extension-gfm-table",
      "yaml",
    ],
  },
  mind: { imports: ["model", "foundation"], libraries: ["zod"] },
  hands: {
    imports: ["model", "foundation", "mind", "version"],
    libraries: ["@agentclientprotocol/sdk", "@photostructure/sqlite", "pg", "saxes", "smol-toml", "yaml", "zod"],
  },
  app: { imports: ["model", "foundation", "mind", "hands", "version"], libraries: ["yaml", "zod"] },
  // A front takes use cases from app, and of what they return the types only.
  cli: { imports: ["model", "foundation", "app", "server", "mcp", "version"], libraries: ["commander", "picocolors"] },
  server: {
    imports: ["model", "foundation", "app", "version"],
    libraries: [
      "@hono/node-server",
      "@hono/node-server/utils/response",
      "@hono/zod-openapi",
      "hono",
      "hono/body-limit",
      "zod",
    ],
  },
  mcp: {
    imports: ["model", "foundation", "app", "version"],
    libraries: ["@modelcontextprotocol/server", "@modelcontextprotocol/server/stdio", "zod"],
  },
  index: { imports: ["model", "foundation", "mind", "hands", "app"], libraries: [] },
  version: { imports: [], libraries: [] },
  testing: { imports: ["model", "foundation", "mind", "hands", "app"], libraries: ["ajv", "vitest", "zod"] },
};

/** Paths that decide and do nothing else: no Node.js, no clock, no chance. */
const PURE = [
  "model/",
  "mind/",
  "foundation/canonical-json/",
  "foundation/conditions/",
  "foundation/globs/",
  "foundation/learned/",
  "foundation/markdown/",
  "foundation/secrets/",
  "foundation/text/",
  "app/plan/planning.ts",
];
/** Paths that act through ports only, and name no module of Node.js themselves. */
const WITHOUT_NODE = [...PURE, "hands/engine/", "app/compose.ts", "index.ts", "version.ts"];

/** Finer rules within a layer: what the first path must not import of the second. */
const APART: readonly (readonly [string, readonly string[]])[] = [
  // Deciders neither propose work nor lead from stage to stage.
  ...["intake", "route", "plan", "gate", "run"].map(
    (room) => [`mind/${room}/`, ["mind/propose/", "mind/request/"]] as const,
  ),
  ["app/plan/planning.ts", ["mind/propose/", "mind/request/", "hands/"]],
  // A level review is given what it reviews and asks no store.
  ["hands/integration/", ["hands/store/"]],
  ["hands/store/", ["hands/agents/", "hands/attempts/", "hands/checks/", "hands/integration/", "hands/workspace/"]],
  ["hands/engine/", ["hands/agents/", "hands/attempts/", "hands/checks/", "hands/integration/", "hands/workspace/"]],
  ["hands/sandbox/", ["hands/agents/", "hands/attempts/", "hands/store/"]],
];

const isIn = (path: string, places: readonly string[]) => places.some((place) => path.startsWith(place));
const targetOf = (path: string, target: string) =>
  posix.normalize(posix.join(posix.dirname(path), target)).replace(/\.js$/, ".ts");

/** `mind/plan/graph/draft.ts` stands in mind; `index.ts` stands for itself. */
function layerOf(path: string): string {
  return path.includes("/") ? (path.split("/")[0] as string) : path.replace(/\.ts$/, "");
}

/** Whether a file names another one by `import type` alone. */
function isTypeOnly(text: string, target: string): boolean {
  const statements = [...text.matchAll(/^(import|export)\s+(type\b)?[^;"]*?\bfrom\s+"([^"\n]+)"/gm)];
  const own = statements.filter(([, , , from]) => from === target);
  return own.length > 0 && own.every(([, , type]) => type !== undefined) && !text.includes(`import("${target}")`);
}

function violations({ path, text }: SourceFile): string[] {
  const name = layerOf(path);
  const layer = LAYERS[name];
  if (layer === undefined) return [`${path}: no layer is declared for ${name}`];
  return importsOf(text).flatMap((target) => {
    const refused = [`${path} may not import ${target}`];
    if (target.startsWith("node:")) return isIn(path, WITHOUT_NODE) ? refused : [];
    if (!target.startsWith(".")) return layer.libraries.includes(target) ? [] : refused;
    const file = targetOf(path, target);
    const other = layerOf(file);
    if (["cli", "server", "mcp"].includes(name) && isTypeOnly(text, target)) return [];
    if (other !== name && !layer.imports.includes(other)) return refused;
    if (isIn(path, PURE) && other === "foundation" && !isIn(file, PURE)) return refused;
    return APART.some(([from, to]) => path.startsWith(from) && isIn(file, to)) ? refused : [];
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

  it("keeps rooms small enough to look around in", () => {
    const sizes = new Map<string, number>();
    for (const { path } of files) sizes.set(posix.dirname(path), (sizes.get(posix.dirname(path)) ?? 0) + 1);
    // One signal is one file, and all of them stand in one list.
    sizes.delete("mind/route/signals");
    expect([...sizes].filter(([, size]) => size > 30)).toEqual([]);
  });

  it("sees the files it judges", () => {
    expect(files.length).toBeGreaterThan(60);
  });

  it("lets the level review ask no store [S2-010]", () => {
    const text = 'import { openRuns } from "../store/event-store.js";';
    expect(violations({ path: "hands/integration/level-context.ts", text })).toHaveLength(1);
  });

  it.each(["intake", "route", "plan", "gate", "run"])(
    "lets mind/%s neither propose tasks, nor manage specialists, nor use tools [S1-013, S1-103]",
    (room) => {
      for (const target of [
        "../propose/planner.js",
        "../request/plan-request.js",
        "../../hands/agents/agent.js",
        "node:fs",
      ])
        expect(violations({ path: `mind/${room}/x.ts`, text: `import { x } from "${target}";` })).toHaveLength(1);
    },
  );

  it("lets no folder import what it may not [S4-018, S4-069, S4-097, S4-105]", () => {
    expect(files.flatMap(violations)).toEqual([]);
  });

  it("finds no execution symbol, clock, chance or network in the mind [S4-018, S4-019, S4-077]", () => {
    expect(files.filter(({ path }) => isIn(path, PURE)).flatMap(forbidden)).toEqual([]);
  });

  it.each([
    ["mind/plan/x.ts", 'import { spawn } from "node:child_process";'],
    ["mind/plan/x.ts", 'import { open } from "../../hands/store/plan-folder.js";'],
    ["mind/plan/x.ts", 'import { readFile } from "../../foundation/files/read-files.js";'],
    ["mind/plan/x.ts", 'const net = await import("node:net");'],
    ["mind/plan/x.ts", 'export * from "../../hands/agents/acp.js";'],
    ["mind/plan/x.ts", 'import {\n  a,\n  b,\n} from "node:fs";'],
    ["mind/plan/x.ts", 'import "node:fs";'],
    ["mind/plan/x.ts", 'import yaml from "yaml";'],
    ["model/x.ts", 'import { plan } from "../mind/plan/plan.js";'],
    ["foundation/text/x.ts", 'import { plan } from "../../mind/plan/plan.js";'],
    ["hands/store/x.ts", 'import { run } from "../../app/run/execute-run.js";'],
    ["hands/engine/x.ts", 'import { spawn } from "../attempts/shim/spawn-shim.js";'],
    ["app/run/x.ts", 'import { main } from "../../cli/main.js";'],
    ["cli/x.ts", 'import { freeze } from "../mind/plan/freeze.js";'],
    ["cli/x.ts", 'const { open } = await import("../hands/store/event-store.js");'],
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
    expect(forbidden({ path: "mind/plan/x.ts", text })).toHaveLength(1);
  });

  it("is not fooled by words in strings and comments", () => {
    expect(
      forbidden({ path: "mind/plan/x.ts", text: '// Date.now is not used\nconst s = "Math.random";\n/* process. */' }),
    ).toEqual([]);
  });
});
