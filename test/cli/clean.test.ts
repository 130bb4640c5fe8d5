import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { attempt, git, newFolder, open, userRepository, write } from "../workspace/repository.js";
import { openRecords } from "../../src/hands/attempts/run-records.js";
import { coordinator, coordinatorJson } from "./program.js";
import { inTheMiddle, storeIn } from "./run-logs.js";

describe("coordinator clean", () => {
  it("says what would go, salvages it, removes it, and then finds nothing", async () => {
    const folder = newFolder();
    const repository = userRepository(folder);
    const { workspaces } = await open(folder, repository);
    const workspace = await workspaces.prepare(attempt());
    write(workspace.path, { "work.txt": "work" });
    const record = join(dirname(workspace.path), "workspace.json");
    writeFileSync(record, readFileSync(record, "utf8").replace(/"owner": "\d+/, '"owner": "1'));
    const args = ["clean", "--state", join(folder, "state"), "--older-than", "0m"];

    const dry = await coordinator([...args, "--dry-run"], { cwd: repository });
    expect([dry.code, dry.stderr]).toEqual([0, ""]);
    expect(dry.stdout).toContain("Nothing was changed.");
    expect(readdirSync(workspaces.root)).toHaveLength(1);

    const { code, json } = await coordinatorJson(args, { cwd: repository });
    expect(code).toBe(0);
    expect(json).toMatchObject({ type: "clean", dry_run: false, removed: [dirname(workspace.path)] });
    expect(readdirSync(workspaces.root)).toEqual([]);
    expect(git(repository, "show", "refs/coord/salvage/run_test/T1/1:work.txt")).toBe("work");
    expect((await coordinator(args, { cwd: repository })).stdout).toContain("salvaged work goes only when ordered");
    await coordinator([...args, "--salvaged"], { cwd: repository });
    expect(git(repository, "for-each-ref", "refs/coord")).toBe("");
  });

  it("keeps the commit that a run begins with for as long as it is not over", async () => {
    const folder = newFolder();
    const repository = userRepository(folder);
    const { quarantine } = await open(folder, repository);
    const commit = await quarantine.resolve("HEAD");
    await quarantine.holdBase(commit);
    const store = await storeIn(repository);
    const log = inTheMiddle();
    await log.writeTo(store, "run_open");
    await store.close();
    await openRecords(join(repository, ".coordinator", "records", "run_open")).write("base", { commit });
    const args = ["clean", "--state", join(folder, "state"), "--older-than", "0m"];
    const { json } = await coordinatorJson(args, { cwd: repository });
    expect(json).toMatchObject({ removed: [] });
    expect(git(repository, "for-each-ref", "--format=%(objectname)", "refs/coord/bases").trim()).toBe(commit);
  });

  it("refuses what is not a repository and no age", async () => {
    const folder = newFolder();
    const nowhere = await coordinatorJson(["clean"], { cwd: folder, env: { HOME: folder } });
    expect([nowhere.code, nowhere.json["code"]]).toEqual([2, "REPOSITORY_UNSUITABLE"]);
    expect((await coordinatorJson(["clean", "--older-than", "soon"])).json).toMatchObject({ code: "USAGE" });
  });
});
