import { describe, expect, it } from "vitest";
import { type SourceFile, sourceFiles } from "./source-files.js";

/*
 * Who touches files. A clone is not trusted: a link in it must lead no writer and no reader out of it, so both stand in
 * `src/foundation/files` once, and every other module has them from there. A module that is to call Node.js itself is named here with
 * the reason why no path of a project can reach it that way.
 */

const OWN_READERS_AND_WRITERS: Readonly<Record<string, string>> = {
  "foundation/files/durable.ts": "opens folders to sync them; what is written goes through write-files",
  "foundation/files/hold-place.ts": "is how a place is held",
  "foundation/files/open-by-name.ts": "looks at what a library opened",
  "foundation/files/read-files.ts": "is the reader",
  "foundation/files/write-files.ts": "is the writer",
  "foundation/files/write-files-sync.ts": "is the writer for callers that must not wait",
  "hands/workspace/path-safety.ts": "reads and removes what agents left, by names of any bytes, and follows no link",
  "hands/workspace/watch/survey.ts": "looks at what agents left, by names of any bytes, and follows no link",
  "hands/workspace/watch/watch-size.ts": "counts what agents left, by names of any bytes, and follows no link",
  "hands/sandbox/memory/memory-group.ts": "makes control groups below /sys/fs/cgroup",
  "hands/workspace/write-files.ts": "fills an empty folder that write-files made, by names of any bytes, links last",
  "foundation/processes/proc.ts": "reads /proc",
  "hands/attempts/shim-main.ts": "reads its standard input",
};

/** Programs of their own that run inside of sandboxes and in tests, with nothing of a person in reach. */
const OTHER_PROGRAMS = /^(?:testing|hands\/agents\/scripted)\//;

const WRITES =
  "appendFile chmod chown copyFile cp createWriteStream fchmod fchown ftruncate futimes lchmod lchown link lutimes mkdir " +
  "mkdtemp open rename rm rmdir symlink truncate unlink utimes write writeFile writev";
const READS = "createReadStream openAsBlob opendir readFile readdir readv";
const NAMES = new Set(`${WRITES} ${READS}`.split(" ").flatMap((name) => [name, `${name}Sync`]));
/** Bytes through a descriptor that somebody else has opened. */
const BY_DESCRIPTOR = new Set(["writeSync", "write"]);

/** What a file takes from `node:fs` that opens, makes, changes or removes something by its name. */
function taken({ path, text }: SourceFile): string[] {
  if (path in OWN_READERS_AND_WRITERS || OTHER_PROGRAMS.test(path)) return [];
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const found: string[] = [];
  for (const [, clause = ""] of code.matchAll(/import\s+([^;"']*?)\s*from\s*["'](?:node:)?fs(?:\/promises)?["']/g)) {
    const names = /^\{([^}]*)\}$/.exec(clause)?.[1];
    if (names === undefined) {
      if (!clause.startsWith("type ")) found.push(`${path}: all of node:fs`);
      continue;
    }
    for (const name of names.split(",").map((each) => each.trim().split(/\s+as\s+/)[0] ?? ""))
      if (NAMES.has(name) && !BY_DESCRIPTOR.has(name)) found.push(`${path}: ${name}`);
      else if (name === "promises" || name === "default") found.push(`${path}: all of node:fs`);
  }
  for (const [whole] of code.matchAll(
    /(?:import|require|getBuiltinModule)\s*\(\s*["'](?:node:)?fs(?:\/promises)?["']|from\s*["'](?:node:)?fs(?:\/promises)?["']\s*(?=;)/g,
  ))
    if (!whole.startsWith("from") || /export\s*[^;]*$/.test(code.slice(0, code.indexOf(whole)).split(";").at(-1) ?? ""))
      found.push(`${path}: all of node:fs`);
  return found;
}

/** Databases open files by name themselves: only their driver does, which asks `openByName`. */
function opensDatabases({ path, text }: SourceFile): string[] {
  return path !== "hands/store/sqlite/driver.ts" && /\bnew DatabaseSync\b/.test(text) ? [path] : [];
}

describe("one reader and one writer", () => {
  const files = sourceFiles();

  it("lets no other module read or write files by their names", () => {
    expect(files.flatMap(taken)).toEqual([]);
  });

  it("lets only the driver open databases, by a name that was looked at", () => {
    expect(files.flatMap(opensDatabases)).toEqual([]);
    const driver = files.find(({ path }) => path === "hands/store/sqlite/driver.ts")?.text ?? "";
    expect(driver).toMatch(/openByName\(path, BESIDE, \(file\) => new DatabaseSync\(file/);
  });

  it("names no module that is not there or needs no leave", () => {
    for (const path of Object.keys(OWN_READERS_AND_WRITERS))
      expect(files.find((file) => file.path === path)?.text ?? "").toMatch(/node:fs/);
  });

  it.each([
    'import { writeFileSync } from "node:fs";',
    'import { existsSync, mkdirSync } from "node:fs";',
    'import { readFile } from "node:fs/promises";',
    'import {\n  stat,\n  open,\n} from "node:fs/promises";',
    'import { rename as moved } from "node:fs/promises";',
    'import * as fs from "node:fs";',
    'import fs from "node:fs";',
    'import { promises } from "node:fs";',
    'import { createWriteStream } from "fs";',
    'const fs = await import("node:fs/promises");',
    'const fs = process.getBuiltinModule("node:fs");',
    'export { writeFile } from "node:fs/promises";',
    'export * from "node:fs";',
  ])("would refuse %s", (text) => {
    expect(taken({ path: "hands/board/x.ts", text })).toHaveLength(1);
  });

  it("would let pass what only looks", () => {
    const text =
      'import { existsSync, type Stats, lstatSync } from "node:fs";\nimport { stat, realpath } from "node:fs/promises";';
    expect(taken({ path: "hands/board/x.ts", text })).toEqual([]);
    expect(taken({ path: "hands/board/x.ts", text: 'import type { Dirent } from "node:fs";' })).toEqual([]);
  });
});
