import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type SampleRepository, sampleRepository } from "../../testing/sample-repository.js";
import { openQuarantine } from "./quarantine.js";
import { createWorkspaces } from "./workspace.js";

let sample: SampleRepository;
afterEach(() => sample.remove());

const FILES = { "src/a.ts": "a\n", "lock.json": "1\n", "old.txt": "old\n", ".gitignore": "dist\n" };

async function workspaceOf() {
  sample = sampleRepository(FILES);
  const quarantine = await openQuarantine({ repository: sample.path, environment: sample.environment });
  const workspaces = await createWorkspaces({ quarantine, now: () => new Date().toISOString() });
  const name = { runId: "run_of_one", taskId: "task", attemptId: "1" };
  const workspace = await workspaces.prepare({ ...name, base: "HEAD", view: { read: ["**"], hidden: [] } });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(workspace.path, path)), { recursive: true });
    writeFileSync(join(workspace.path, path), text);
  };
  return { workspace, workspaces, write };
}

/** As a setup would leave it: new files, ignored or not, a file of the repository rewritten, another one taken away. */
async function setUp() {
  const made = await workspaceOf();
  const { workspace, write } = made;
  write("gen.txt", "generated\n");
  write("deps/lib/index.js", "lib\n");
  write("deps/lib/.git/HEAD", "ref: refs/heads/main\n");
  write("dist/out.js", "out\n");
  write("lock.json", "2\n");
  rmSync(join(workspace.path, "old.txt"));
  return { ...made, names: await workspace.settle() };
}

const request = { write: ["src/**"], message: "Work" };

describe("what setup made in a workspace", () => {
  it("is not part of a change and breaks no scope, ignored by git or not", async () => {
    const { workspace, write, names } = await setUp();
    expect([...names].sort()).toEqual(["deps", "dist", "gen.txt"]);
    write("src/a.ts", "b\n");
    const outcome = await workspace.import(request);
    expect(outcome).toMatchObject({ status: "imported", notices: [] });
    if (outcome.status !== "imported") return;
    expect(outcome.changes.files.map(({ path }) => path)).toEqual(["src/a.ts"]);
    expect(await workspace.remove()).toMatchObject({ status: "removed", salvage: { status: "nothing" } });
  });

  it("is none when nothing else was done, also where it was written again with the same content", async () => {
    const { workspace, write } = await setUp();
    write("gen.txt", "generated\n");
    write("lock.json", "2\n");
    expect(await workspace.import(request)).toMatchObject({ status: "unchanged" });
  });

  it("is the agent's as soon as it holds something else", async () => {
    const { workspace } = await setUp();
    appendFileSync(join(workspace.path, "gen.txt"), "and more\n");
    expect(await workspace.import(request)).toMatchObject({ status: "refused", findings: [{ path: "gen.txt" }] });
  });

  it("is told apart from work that an attempt goes on with", async () => {
    const { workspace, write } = await workspaceOf();
    write("gen.txt", "generated\n");
    write("src/a.ts", "of the attempt before\n");
    write("src/new.ts", "new\n");
    await workspace.settle(new Set(["src/a.ts", "src/new.ts"]));
    const outcome = await workspace.import(request);
    expect(outcome).toMatchObject({ changes: { files: [{ path: "src/a.ts" }, { path: "src/new.ts" }] } });
  });

  it("would break the scope if nobody had said that it is setup's", async () => {
    const { workspace, write } = await workspaceOf();
    write("gen.txt", "generated\n");
    expect(await workspace.import(request)).toMatchObject({ status: "refused", findings: [{ path: "gen.txt" }] });
  });
});
