import { describe, expect, it, onTestFinished } from "vitest";
import type { RunEvent } from "../../model/event.js";
import { sampleRepository } from "../../testing/sample-repository.js";
import { openQuarantine } from "../workspace/quarantine.js";
import { findMovedRefs, readCommitsInLog, readLogHead, describeMovedRef } from "./log-head.js";
import { join } from "node:path";

const RUN = "run_of_a_head";

async function place() {
  const repository = sampleRepository({ "a.txt": "a\n" });
  onTestFinished(repository.remove);
  const base = repository.git("rev-parse", "HEAD");
  const tree = repository.git("rev-parse", "HEAD^{tree}");
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
  const commit = (parent: string, name: string) =>
    repository.git(...identity, "commit-tree", tree, "-p", parent, "-m", name);
  const stateDirectory = join(repository.folder, "state");
  const quarantine = await openQuarantine({ repository: repository.path, environment: process.env, stateDirectory });
  const first = commit(base, "first");
  const second = commit(first, "second");
  return { ...repository, quarantine, base, first, second, foreign: commit(base, "foreign") };
}

const landed = (task_id: string, ref: string): RunEvent => ({
  type: "integration_finished",
  task_id,
  attempt: 1,
  integrated: true,
  ref,
});
const OVER: RunEvent = { type: "run_finished", status: "completed", reason: "" };

async function* log(...events: readonly RunEvent[]) {
  for (const event of events) yield { event };
}
const commitsIn = (...events: readonly RunEvent[]) => readCommitsInLog(RUN, log(...events));

describe("the commit a log names", () => {
  it("is the one that holds every other, in whatever order they were logged", async () => {
    const { quarantine, first, second } = await place();
    for (const order of [
      [first, second],
      [second, first],
      [second, second],
    ] as const) {
      const commits = await commitsIn(...order.map((ref, i) => landed(`T${i}`, ref)));
      expect(await readLogHead(commits, quarantine)).toEqual({ status: "known", commit: second });
    }
    expect(await readLogHead(await commitsIn(), quarantine)).toEqual({ status: "none" });
  });

  it("is not known where commits are on no one branch, are missing, or are none", async () => {
    const { quarantine, second, foreign } = await place();
    for (const refs of [[second, foreign], ["0".repeat(40)], ["refs/heads/main"], ["--all"]]) {
      const commits = await commitsIn(...refs.map((ref, i) => landed(`T${i}`, ref)));
      expect(await readLogHead(commits, quarantine)).toMatchObject({ status: "unknown" });
    }
  });
});

describe("a ref of the run", () => {
  const moved = async (at: Awaited<ReturnType<typeof place>>, ...events: readonly RunEvent[]) => {
    const commits = await commitsIn(...events);
    return findMovedRefs(RUN, commits, await readLogHead(commits, at.quarantine), at.quarantine);
  };
  const ref = `refs/coord/${RUN}/head`;

  it("is moved when it points elsewhere, forward too, and how to put it back is told", async () => {
    const at = await place();
    expect(await moved(at, landed("A", at.first), OVER), "missing").toEqual([]);
    at.git("update-ref", ref, at.first);
    expect(await moved(at, landed("A", at.first), OVER)).toEqual([]);
    at.git("update-ref", ref, at.second);
    const found = await moved(at, landed("A", at.first), OVER);
    expect(found).toEqual([{ ref, expected: at.first, found: at.second }]);
    expect(found.map(describeMovedRef)).toMatchObject([
      { fix: expect.stringContaining(`git update-ref ${ref} ${at.first}`) as unknown },
    ]);
    expect(await moved(at, OVER)).toMatchObject([{ ref, expected: "no commit at all" }]);
  });

  it("may be ahead of the log of a run that is not over, where the quarantine says the same", async () => {
    const at = await place();
    at.git("update-ref", ref, at.second);
    expect(await moved(at, landed("A", at.first)), "moved in the repository alone").toHaveLength(1);
    await at.quarantine.keep(ref, at.second);
    expect(await moved(at, landed("A", at.first))).toEqual([]);
    expect(await moved(at, landed("A", at.foreign)), "not a step forward").toHaveLength(1);
    expect(await moved(at, landed("A", at.first), OVER), "over").toHaveLength(1);
  });
});
