import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../../src", import.meta.url));

export interface SourceFile {
  /** Relative to src, e.g. `mind/plan/plan.ts`. */
  readonly path: string;
  readonly text: string;
}

/** Every product file; tests beside the source may import what they like. */
export function sourceFiles(): SourceFile[] {
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ path: relative(source, path).replaceAll("\\", "/"), text: readFileSync(path, "utf8") }));
}

/** What a file imports: `from "x"`, `import "x"`, `import("x")` and `require("x")`, comments and strings aside. */
export function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const statement = /^\s*(?:import|export)\b[^;"'`]*?\bfrom\s*(["'])([^"'\n]+)\1/gm;
  const bare = /^\s*import\s*(["'])([^"'\n]+)\1/gm;
  const call = /\b(?:import|require)\s*\(\s*(["'])([^"'\n]+)\1/g;
  return [statement, bare, call].flatMap((form) => [...code.matchAll(form)].map((match) => match[2] as string));
}
