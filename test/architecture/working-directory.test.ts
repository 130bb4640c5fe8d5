import { describe, expect, it } from "vitest";
import { type SourceFile, sourceFiles } from "./source-files.js";

/*
 * Where somebody stands is part of the context of a command. One process works on several projects, so nothing below the
 * fronts asks the process for its directory, changes it, or takes a path from it.
 */

const EXCEPTIONS: Readonly<Record<string, string>> = {
  "app/process-request.ts": "the default of the options `cwd` and `environment` of the library",
};

/** A program of its own that runs inside of sandboxes. */
const OTHER_PROGRAMS = /^hands\/agents\/scripted\//;

/** Functions whose argument is a path inside of a repository, or inside of a sandbox, and never one of this machine. */
const INSIDE_OF_REPOSITORY = new Set(["list", "here"]);

function named({ path, text }: SourceFile): string[] {
  if (!/^(?:app|hands|mind)\//.test(path) || path in EXCEPTIONS || OTHER_PROGRAMS.test(path)) return [];
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const directories = [...code.matchAll(/\bprocess\s*\.\s*(?:cwd|chdir)\b/g)].map(([found]) => `${path}: ${found}`);
  // Methods of texts and lists take a dot as a text.
  const folders = [...code.matchAll(/(?<![.\w])(\w+)\(\s*"\."\s*[,)]/g)]
    .filter(([, name = ""]) => !INSIDE_OF_REPOSITORY.has(name))
    .map(([found]) => `${path}: ${found}`);
  const variables = /^(?:app|hands\/store)\//.test(path)
    ? [...code.matchAll(/\bprocess\s*\.\s*env\b/g)].map(([found]) => `${path}: ${found}`)
    : [];
  return [...directories, ...folders, ...variables];
}

describe("the working directory of the process", () => {
  it("is seen where it is named", () => {
    const at = (path: string, text: string) => named({ path, text });
    expect(at("app/x.ts", "const a = process.cwd();")).toHaveLength(1);
    expect(at("hands/x.ts", "process.chdir(folder);")).toHaveLength(1);
    expect(at("app/x.ts", 'const at = stateFolder(findRoot("."));')).toHaveLength(1);
    expect(at("mind/x.ts", 'relative(".", join(folder, "plans"));')).toHaveLength(1);
    expect(at("app/x.ts", "spawn(program, { env: process.env });")).toHaveLength(1);
    expect(at("hands/store/x.ts", "readPassword(process.env);")).toHaveLength(1);
    expect(at("app/x.ts", 'const parts = path.split("."); /* process.cwd() */\nawait files.list(".");')).toHaveLength(
      0,
    );
    expect(at("cli/x.ts", "host.chdir(process.cwd());")).toHaveLength(0);
  });

  it("is named by the fronts alone", () => {
    const files = sourceFiles();
    for (const path of Object.keys(EXCEPTIONS)) expect(files.map((file) => file.path)).toContain(path);
    expect(files.flatMap(named)).toEqual([]);
  });
});
