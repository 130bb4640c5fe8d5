import { describe, expect, it } from "vitest";
import { sourceFiles } from "./source-files.js";

/* `Project` is the one value that settings, contract and registry are loaded by. */

const files = sourceFiles().filter(({ path }) => !path.startsWith("testing/"));
const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
const naming = (name: RegExp) => files.filter(({ text }) => name.test(code(text))).map(({ path }) => path);

describe("a project", () => {
  it("is loaded in app/project and nowhere else", () => {
    expect(naming(/\bloadConfiguration\b/)).toEqual(["app/project/project.ts", "hands/settings/load-configuration.ts"]);
    expect(naming(/\bloadContract\b/)).toEqual(["app/project/project.ts", "hands/settings/contract/load-contract.ts"]);
    // The library offers reading a registry by itself.
    expect(naming(/\bloadRegistry\b/)).toEqual([
      "app/project/project-registry.ts",
      "hands/registry/load-registry.ts",
      "index.ts",
    ]);
    expect(naming(/\bloadProjectRegistry\b/)).toEqual(["app/project/project-registry.ts", "app/project/project.ts"]);
    expect(naming(/\breadScopePolicy\b/)).toEqual(["app/project/project-documents.ts", "app/project/project.ts"]);
  });

  it("is opened by the fronts, and where a command begins to work on another one", () => {
    expect(naming(/\bopenProject\(/)).toEqual([
      "app/project/facts-collect.ts",
      "app/project/project.ts",
      "app/quiet-context.ts",
      "cli/arguments/program.ts",
    ]);
  });

  it("finds its root once: only what keeps a list of projects looks for roots besides", () => {
    expect(naming(/\bfindRoot\(/)).toEqual([
      "app/project/project.ts",
      "app/serve/remembered-projects.ts",
      "foundation/files/project-bounds.ts",
    ]);
  });

  it("registers the secrets it knows; loading settings changes nothing", () => {
    expect(naming(/\bregisterSecrets\(/)).toEqual([
      "app/project/project.ts",
      "foundation/files/known-secrets.ts",
      "hands/attempts/shim-main.ts",
    ]);
  });
});
