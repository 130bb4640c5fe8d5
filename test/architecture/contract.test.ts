import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { buildProgram } from "../../src/cli/arguments/program.js";
import { commandPath } from "../../src/cli/arguments/command-path.js";
import { COMMAND_ACTIONS } from "../../src/app/project/command-actions.js";
import { loadContract } from "../../src/hands/settings/contract/load-contract.js";
import { permit } from "../../src/mind/contract/permit.js";
import { ENDPOINTS } from "../../src/server/routes/all.js";
import { sourceFiles } from "./source-files.js";

/* Nothing the Coordinator does goes around its contract. */

function leaves(command: Command): Command[] {
  return [command, ...command.commands.flatMap(leaves)];
}

describe("the contract's gate", () => {
  const files = sourceFiles();
  const commands = leaves(buildProgram(process, () => undefined))
    .map(commandPath)
    // Those that only hold others together.
    .filter(
      (path) => !["", "help", "adr", "intent", "registry", "facts", "memory", "projects", "token"].includes(path),
    );

  it("knows every command, and the shipped contract allows each [S3-062]", async () => {
    expect(commands.filter((path) => !Object.hasOwn(COMMAND_ACTIONS, path))).toEqual([]);
    const loaded = await loadContract("/");
    const actions = Object.values(COMMAND_ACTIONS).filter((action) => action !== null);
    expect(actions.length).toBeGreaterThan(15);
    for (const action of actions)
      expect(loaded.ok ? permit(loaded.contract, action) : loaded).toEqual({ status: "allowed" });
  });

  it("stands before every command: whatever is declared is launched, and only there is the gate", () => {
    const declared = files.filter(({ path }) => path.startsWith("cli/arguments/"));
    const actions = declared.flatMap(({ path, text }) =>
      [...text.matchAll(/\.action\(([\s\S]{0,160})/g)].map(([, head = ""]) => ({ path, head })),
    );
    expect(actions.length).toBeGreaterThan(25);
    expect(actions.filter(({ head }) => !/=>\s*(?:\{\s*)?(?:return )?launch\(/.test(head))).toEqual([]);
    const naming = (call: RegExp) => files.filter(({ text }) => call.test(text)).map(({ path }) => path);
    expect(naming(/\brequireCommand\(/)).toEqual(["app/project/command-actions.ts", "app/project/enter-project.ts"]);
    expect(naming(/\bguardCommand\(/)).toEqual([
      "app/project/enter-project.ts",
      "app/serve/served-project.ts",
      "cli/arguments/program.ts",
    ]);
  });

  it("stands before every order that comes over HTTP", () => {
    const orders = ENDPOINTS.filter(({ method, path }) => method !== "get" && path.startsWith("/projects/{project}"));
    expect(orders.length).toBeGreaterThan(4);
    expect(orders.filter(({ command }) => command === null || !Object.hasOwn(COMMAND_ACTIONS, command))).toEqual([]);
  });

  it("stands before every file that is written outside of attempts: write_code and modify_adr are held there", () => {
    // These write workspaces, stores and settings outside of the project, or in the state folder.
    const elsewhere =
      /^(?:foundation\/|hands\/(?!board\/)|app\/(?:decide\/(?:ask-permission|signal-box)|hand-over\/background|inspect\/snapshots\/snapshot-file|project\/(?:remembered|secrets|state-folder)|learned\/corrections|request\/being-planned|run\/first-commit|store\/(?:migrate-store|move-records|store-setting)|serve\/(?:own-json|served-runs|server-file|submitted-requests))\.ts$)/;
    const writers = files.filter(
      ({ path, text }) => /files\/write-files(?:-sync)?\.js"/.test(text) && !elsewhere.test(path),
    );
    expect(writers.map(({ path }) => path).sort()).toEqual(["app/project/write-file.ts", "hands/board/whole-file.ts"]);
    expect(writers.filter(({ text }) => !/\brequireOwnPlace\(/.test(text))).toEqual([]);
  });

  it("stands before every effect of a run: hands are given to the engine behind it and nowhere else", () => {
    const users = files.filter(
      // The simulation drives the engine, too, and nothing of it is published.
      ({ path, text }) => /^import .*\bcarryOut\b/m.test(text) && !path.startsWith("testing/"),
    );
    expect(users.map(({ path }) => path)).toEqual(["app/run/execute-run.ts"]);
    const run = files.find(({ path }) => path === "app/run/execute-run.ts")?.text ?? "";
    expect(run).toMatch(/carryOut\(runId, \{ store: options\.store, runner: options\.guard\(runner\)/);
    const starts = files.filter(({ text }) => /^import .*\bexecuteRun\b/m.test(text));
    expect(starts.map(({ path }) => path)).toEqual(["app/run/work-on-run.ts"]);
    expect(starts[0]?.text).toContain("guard: guardEffects(ready.inForce)");
  });
});
