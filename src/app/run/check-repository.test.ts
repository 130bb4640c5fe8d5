import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sampleRepository } from "../../testing/sample-repository.js";
import { findMissingCommit } from "./first-commit.js";
import { requireRepository } from "./check-repository.js";

/* Refusals before a run is begun, instead of leaving one in the log that could only fail. */

function sample() {
  const repository = sampleRepository({ "README.md": "read me\n", "src/a.txt": "a\n" });
  onTestFinished(repository.remove);
  return repository;
}

describe("the ground of a run", () => {
  it("holds the commit it begins with", async () => {
    const { path, environment, git } = sample();
    await requireRepository(path, environment);
    expect(git("for-each-ref", "--format=%(objectname)", "refs/coord/bases")).toBe(git("rev-parse", "HEAD"));
  });

  it("is that of the folder, whatever the environment says of another repository", async () => {
    const { path, environment } = sample();
    const elsewhere = {
      GIT_DIR: "/nowhere",
      GIT_WORK_TREE: "/",
      GIT_INDEX_FILE: "/nowhere/index",
      GIT_OBJECT_DIRECTORY: "/nowhere/objects",
      GIT_ALTERNATE_OBJECT_DIRECTORIES: "/nowhere/more",
      GIT_NAMESPACE: "other",
      GIT_PREFIX: "src/",
    };
    expect(await findMissingCommit(path, { ...environment, ...elsewhere })).toBeNull();
  });

  it("is refused without a home to keep state in", async () => {
    const { path, environment } = sample();
    const refused = requireRepository(path, { PATH: environment["PATH"] });
    await expect(refused).rejects.toMatchObject({ code: "REPOSITORY_UNSUITABLE", fix: "Set HOME or XDG_STATE_HOME." });
  });

  it("is refused while files of a partial clone are on its server only, and taken when they were fetched", async () => {
    const { path, folder, environment, git } = sample();
    git("config", "uploadpack.allowFilter", "true");
    git("clone", "--quiet", "--no-checkout", "--filter=blob:none", `file://${path}`, join(folder, "part"));
    const part = join(folder, "part");
    await expect(requireRepository(part, environment)).rejects.toMatchObject({
      code: "REPOSITORY_UNSUITABLE",
      message: expect.stringContaining("2 files of its commit were never fetched") as unknown,
      fix: expect.stringContaining("git fetch --refetch --no-filter") as unknown,
    });
    git("-C", part, "fetch", "--quiet", "--refetch", "--no-filter");
    await requireRepository(part, environment);
  });
});
