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

  it("is passed on as it is: no other type of app holds its root, variables and loaded parts together", () => {
    const PARTS = [
      ["root", "stateFolder"],
      ["environment", "env"],
      ["configuration"],
      ["contract", "inForce"],
      ["registry"],
      ["clock"],
    ];
    const bundles = files
      .filter(({ path }) => path.startsWith("app/") && !path.startsWith("app/project/"))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/interface (\w+)[^{]*\{\n([\s\S]*?)\n\}/g)].map(([, name = "", body = ""]) => {
          const fields = new Set([...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field = ""]) => field));
          return { path, name, held: PARTS.filter((forms) => forms.some((form) => fields.has(form))).length };
        }),
      )
      .filter(({ held }) => held > 1)
      .map(({ path, name }) => `${path} ${name}`);
    expect(bundles).toEqual([
      // The parts that planners are chosen by, and those that a run is carried out with, loaded and sound.
      "app/plan/planners.ts AskerParts",
      "app/run/run-arguments.ts RunContext",
    ]);
  });

  it("registers the secrets it knows; loading settings changes nothing", () => {
    expect(naming(/\bregisterSecrets\(/)).toEqual([
      // A token that another program keeps is known when that program has said it.
      "app/hosts/open-host.ts",
      "app/project/project.ts",
      "foundation/files/known-secrets.ts",
      "hands/attempts/shim-main.ts",
      // A password that is in a file of its own is known from the moment it is read.
      "hands/store/postgres/store-password.ts",
      // Headers for a collector, which no settings name.
      "hands/telemetry/export-runs.ts",
    ]);
  });
});
