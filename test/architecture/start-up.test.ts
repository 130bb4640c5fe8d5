import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { sourceFiles } from "./source-files.js";

/*
 * What is loaded before a command has done anything. Loading is most of what a short command costs, and one careless
 * import brings a library back for all of them; this holds what must not come along, whatever it takes in time.
 */

const texts = new Map(sourceFiles().map(({ path, text }) => [path, text]));

/** What a file loads as soon as it is loaded itself: neither types, which are gone by then, nor `import()`. */
function loadedBy(text: string): string[] {
  const statement = /^(?:import|export)\s+(?!type\b)([^;"]*?)\bfrom\s+"([^"\n]+)"|^import\s+"([^"\n]+)"/gm;
  return [...text.matchAll(statement)]
    .filter(([, names = "x"]) => {
      const inner = /\{([^}]*)\}/.exec(names)?.[1];
      const named = inner?.split(",").filter((name) => name.trim() !== "") ?? [];
      return inner === undefined || named.length === 0 || named.some((name) => !name.trim().startsWith("type "));
    })
    .map((match) => (match[2] ?? match[3]) as string);
}

/** Every file of ours and every package that comes with a file. */
function comesWith(entry: string): Set<string> {
  const seen = new Set([entry]);
  for (const path of seen) {
    for (const target of loadedBy(texts.get(path) ?? ""))
      seen.add(target.startsWith(".") ? posix.join(posix.dirname(path), target).replace(/\.js$/, ".ts") : target);
  }
  return seen;
}

const SLOW = [
  "zod",
  "yaml",
  "@marcbachmann/cel-js",
  "@agentclientprotocol/sdk",
  "@photostructure/sqlite",
  "pg",
  "saxes",
  "hono",
  "@hono/zod-openapi",
  "@hono/node-server",
  "@modelcontextprotocol/server",
  "smol-toml",
];

describe("what a command loads", () => {
  it("sees what is loaded and what is not", () => {
    expect(
      loadedBy(
        [
          'import { a, type B } from "./a.js";',
          'import { type C } from "./c.js";',
          'import type { D } from "./d.js";',
          'export { e } from "./e.js";',
          'import "./f.js";',
          'const g = await import("./g.js");',
        ].join("\n"),
      ),
    ).toEqual(["./a.js", "./e.js", "./f.js"]);
    expect(comesWith("app/plan/planning.ts")).toContain("@marcbachmann/cel-js");
    expect(comesWith("foundation/documents/yaml-text.ts")).toContain("yaml");
    for (const file of comesWith("cli/main.ts")) if (file.endsWith(".ts")) expect([...texts.keys()]).toContain(file);
  });

  it.each([
    ["cli/main.ts", SLOW],
    ["cli/views/human/to-text.ts", SLOW],
    ["app/default-parts.ts", SLOW],
    ["app/request/intake.ts", SLOW.filter((name) => name !== "zod")],
    ["app/inspect/status.ts", SLOW.filter((name) => name !== "zod" && !name.includes("sqlite"))],
    ["app/inspect/list-runs.ts", SLOW.filter((name) => !name.includes("sqlite"))],
    ["app/inspect/inbox.ts", SLOW.filter((name) => !name.includes("sqlite"))],
    ["hands/registry/load-registry.ts", SLOW],
    ["hands/settings/contract/load-contract.ts", SLOW.filter((name) => name !== "zod")],
  ])("%s comes without what it does not need", (entry, without) => {
    expect(texts.has(entry)).toBe(true);
    const loaded = comesWith(entry);
    expect(without.filter((name) => loaded.has(name))).toEqual([]);
  });
});

describe("what the build makes of it", () => {
  const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
  const text = (file: string) => readFileSync(join(dist, file), "utf8");
  beforeAll(ensureBuilt);

  /** A file of the bundle with everything it loads at once. */
  function bundledWith(entry: string): string[] {
    const seen = new Set([entry]);
    for (const file of seen)
      for (const [, target = ""] of text(file).matchAll(/^import (?:[^;"]*? from )?"(\.[^"]*)";$/gm))
        seen.add(posix.join(posix.dirname(file), target));
    return [...seen];
  }

  it.each(["cli/main.js", "hands/attempts/shim-main.js"])("%s is started from its bundle", (program) => {
    const name = posix.basename(program);
    expect(text(program)).toContain(`await import("${posix.relative(posix.dirname(program), "program")}/${name}")`);
    expect(bundledWith(`program/${name}`).length).toBeLessThan(60);
  });

  it("does not wait at the top of the program: what is loaded later and shares its file would wait for it", () => {
    expect(text("program/main.js")).not.toMatch(/^(?:[\w.$]+ = )?await\b/m);
  });

  it.each(["listRuns", "showInbox"])("%s comes without schemas and without YAML", (command) => {
    const entry = readdirSync(join(dist, "program")).find((file) =>
      new RegExp(String.raw`^export \{[^}]*\b${command}\b`, "m").test(text(`program/${file}`)),
    );
    const loaded = bundledWith(`program/${entry}`).map(text);
    expect(loaded.length).toBeGreaterThan(5);
    for (const sign of ["class ZodRealError", "$ZodType", "YAMLParseError"])
      expect(loaded.filter((code) => code.includes(sign))).toEqual([]);
  });

  it("crash points are one module for the program and for whoever arms them", () => {
    const chunks = readdirSync(join(dist, "program")).map((file) => text(`program/${file}`));
    const using = chunks.filter((code) => /\bcrashPoint\("/.test(code));
    expect(using.length).toBeGreaterThan(3);
    for (const code of using)
      expect(code).toContain('import { crashPoint } from "../foundation/processes/crash-points.js";');
  });
});
