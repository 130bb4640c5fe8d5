import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type SampleRepository, sampleRepository } from "../../testing/sample-repository.js";
import { openQuarantine } from "./quarantine.js";
import { repositoryNotices } from "./repository-notices.js";
import { createWorkspaces } from "./workspace.js";

const samples: SampleRepository[] = [];
afterEach(() => samples.splice(0).forEach((sample) => sample.remove()));

function sampleOf(files: Readonly<Record<string, string>>): SampleRepository {
  const sample = sampleRepository(files);
  samples.push(sample);
  return sample;
}

const LOCAL = ["-c", "protocol.file.allow=always"];

/** A project with a library in a submodule, and a library of that one in a submodule of its own. */
function projectWithSubmodules(): SampleRepository {
  const deep = sampleOf({ "deep.txt": "deep\n" });
  const library = sampleOf({ "lib.txt": "lib\n", "tool.sh": "#!/bin/sh\n" });
  library.git(...LOCAL, "submodule", "--quiet", "add", deep.path, "deep");
  library.commit("With a submodule");
  const project = sampleOf({ "src/a.txt": "a\n" });
  project.git(...LOCAL, "submodule", "--quiet", "add", "--name", "the-library", library.path, "vendor/lib");
  project.git(...LOCAL, "submodule", "--quiet", "update", "--init", "--recursive");
  project.commit("With a submodule");
  return project;
}

async function workspaceOf(project: SampleRepository, read: readonly string[] = ["**"], attemptId = "1") {
  const quarantine = await openQuarantine({ repository: project.path, environment: project.environment });
  const workspaces = await createWorkspaces({ quarantine, now: () => new Date().toISOString() });
  const name = { runId: "run_of_one", taskId: "task", attemptId };
  return workspaces.prepare({ ...name, base: "HEAD", view: { read, hidden: [] } });
}

const noticesOf = (project: SampleRepository) => repositoryNotices(project.path, process.env["PATH"] ?? "");

describe("submodules", () => {
  it("stand in workspaces with their own submodules, and are not part of a change", async () => {
    const project = projectWithSubmodules();
    const workspace = await workspaceOf(project);
    expect(readFileSync(join(workspace.path, "vendor/lib/lib.txt"), "utf8")).toBe("lib\n");
    expect(readFileSync(join(workspace.path, "vendor/lib/deep/deep.txt"), "utf8")).toBe("deep\n");
    expect(existsSync(join(workspace.path, "vendor/lib/.git"))).toBe(false);
    writeFileSync(join(workspace.path, "src/a.txt"), "b\n");
    // As a program that writes everything anew, with the same content.
    writeFileSync(join(workspace.path, "vendor/lib/lib.txt"), "lib\n");
    const outcome = await workspace.import({ write: ["**"], message: "Work" });
    expect(outcome).toMatchObject({ status: "imported", changes: { files: [{ path: "src/a.txt" }] } });
    expect(await noticesOf(project)).toEqual([]);
  });

  it("are not taken from another repository of the person that a link leads to", async () => {
    const elsewhere = sampleOf({ "secret.txt": "secret\n" });
    const commit = elsewhere.git("rev-parse", "HEAD").trim();
    const project = sampleOf({ "src/a.txt": "a\n" });
    for (const [path, link] of [
      ["private", "private"],
      ["vendor/lib", "vendor"],
    ] as const) {
      project.git("update-index", "--add", "--cacheinfo", `160000,${commit},${path}`);
      project.git("commit", "-qm", path);
      symlinkSync(link === path ? elsewhere.path : join(elsewhere.path, ".."), join(project.path, link));
    }
    const workspace = await workspaceOf(project);
    expect(existsSync(join(workspace.path, "private/secret.txt"))).toBe(false);
    // Where it was checked out as git does it, it is there: the test finds what it looks for.
    rmSync(join(project.path, "private"));
    project.git(...LOCAL, "clone", "-q", elsewhere.path, "private");
    expect(existsSync(join((await workspaceOf(project, ["**"], "2")).path, "private/secret.txt"))).toBe(true);
  });

  it("may not be changed", async () => {
    const workspace = await workspaceOf(projectWithSubmodules());
    writeFileSync(join(workspace.path, "vendor/lib/lib.txt"), "changed\n");
    expect(await workspace.import({ write: ["**"], message: "Work" })).toMatchObject({ status: "refused" });
  });

  it("are not there where the view does not see them", async () => {
    const workspace = await workspaceOf(projectWithSubmodules(), ["src/**"]);
    expect(existsSync(join(workspace.path, "vendor"))).toBe(false);
  });

  it("that nobody has fetched are named, with the command that does", async () => {
    const project = projectWithSubmodules();
    project.git("submodule", "--quiet", "deinit", "--force", "vendor/lib");
    // As a clone without --recurse-submodules has it.
    const fresh = sampleOf({});
    fresh.git("fetch", "--quiet", project.path, "main");
    fresh.git("reset", "--quiet", "--hard", "FETCH_HEAD");
    const workspace = await workspaceOf(fresh);
    expect(existsSync(join(workspace.path, "vendor/lib/lib.txt"))).toBe(false);
    const [notice = ""] = await noticesOf(fresh);
    expect(notice).toContain("The submodule vendor/lib cannot be put into workspaces");
    expect(notice).toContain("git submodule update --init --recursive vendor/lib");
  });
});

describe("other checkouts that do not hold all files of their commit", () => {
  it("are named", async () => {
    const project = sampleOf({ ".gitattributes": "*.png filter=lfs diff=lfs merge=lfs -text\n" });
    project.git("config", "core.sparseCheckout", "true");
    project.git("config", "remote.origin.promisor", "true");
    const notices = (await noticesOf(project)).join("\n");
    expect(notices).toContain("Files of Git LFS are pointers in workspaces");
    expect(notices).toContain("This checkout is sparse");
    expect(notices).toContain("This is a partial clone");
    expect(await noticesOf(sampleOf({ "a.txt": "a\n" }))).toEqual([]);
  });
});
