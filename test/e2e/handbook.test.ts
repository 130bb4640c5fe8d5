import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  ASKER_CRASH_POINTS,
  INTEGRATE_CRASH_POINTS,
  SHIM_CRASH_POINTS,
  STORE_CRASH_POINTS,
  WORKSPACE_CRASH_POINTS,
} from "../../src/foundation/processes/crash-points.js";
import { ensureBuilt } from "../build.js";
import { FAULTS, finalFiles, makeHandbook, NO_FAULTS, TASKS } from "./handbook.js";
import type { Project } from "./project.js";
import { type Death, type Ended, toTheEnd } from "./lives.js";

/*
 * The whole of it: thirty tasks in five levels through the command line, with agents that crash, babble, hang, break
 * what worked and leave their scope, and with the Coordinator and its shims killed on the way. In the end the branch
 * must hold what it holds when nothing goes wrong.
 */

/** All crash points and many more deaths by chance: `E2E_KILLS=all`. */
const ALL = process.env["E2E_KILLS"] === "all";
const SEED = Number(process.env["E2E_SEED"] ?? "1");

const shim = (points: readonly string[]) => points.map((point) => ({ at: `${point}@shim` }));
const run = (points: readonly string[]) => points.map((point) => ({ at: `${point}@run` }));

function deaths(): Death[] {
  if (!ALL)
    return [
      ...run(["instance.shim_spawned", "integrate.merged", "integrate.ref_moved", "store.after_commit"]),
      { afterMs: 4000 },
      ...shim(["workspace.ref_written"]),
      ...run(["integrate.published", "instance.result_read"]),
    ];
  let chance = SEED;
  const next = () => (chance = (chance * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const points = [
    ...run([...STORE_CRASH_POINTS, ...ASKER_CRASH_POINTS, ...INTEGRATE_CRASH_POINTS, ...WORKSPACE_CRASH_POINTS]),
    ...shim([...SHIM_CRASH_POINTS, ...WORKSPACE_CRASH_POINTS]),
  ];
  const byChance = Array.from({ length: 20 }, (): Death => ({}));
  // One that does not come past its crash point must not bring the run to its end before all have had their turn.
  const all = [...points, ...byChance].map((death) => ({ ...death, afterMs: 1000 + Math.floor(next() * 4000) }));
  return all
    .map((death) => ({ death, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ death }) => death);
}

/** Every file of the branch. */
function filesAt({ git }: Project, ref: string): Record<string, string> {
  const names = git("ls-tree", "-r", "--name-only", ref).split("\n");
  return Object.fromEntries(names.map((name) => [name, git("show", `${ref}:${name}`)]));
}

/** What a person has in the repository, refs of the Coordinator aside. */
function own({ git, project }: Project): unknown {
  return {
    refs: git("for-each-ref")
      .split("\n")
      .filter((line) => !line.includes("\trefs/coord/")),
    head: git("rev-parse", "HEAD"),
    status: git("status", "--porcelain", "--ignored"),
    config: readFileSync(join(project, ".git", "config"), "utf8"),
    hooks: readdirSync(join(project, ".git", "hooks")),
    files: readdirSync(project, { recursive: true }).filter(
      (name) => !/^(\.git|\.coordinator)(\/|$)/.test(String(name)),
    ),
  };
}

function expectWhole(handbook: Project, { run_id }: Ended): void {
  const head = `refs/coord/${run_id}/head`;
  const trailer = "--format=%(trailers:key=Coordinator-Task,valueonly,separator=%x20)";
  const merged = handbook
    .git("log", "--first-parent", trailer, head)
    .split("\n")
    .filter((line) => line !== "");
  expect(merged.sort(), "every task is on the branch once").toEqual(TASKS.map(({ id }) => id).sort());
  const expected = Object.fromEntries(Object.entries(finalFiles()).map(([name, text]) => [name, text.trimEnd()]));
  const { ".gitignore": _, "coordinator.yaml": __, ...files } = filesAt(handbook, head);
  expect(files, "nothing is missing, and nothing is there that nobody was to make").toEqual(expected);
  expect(
    handbook
      .git("diff", "--name-only", "main", head)
      .split("\n")
      .filter((name) => !name.startsWith("docs/")),
  ).toEqual([]);
}

beforeAll(ensureBuilt);

describe("a run of thirty tasks in five levels", () => {
  it(
    "ends like one without faults, whatever its agents do and whenever it is killed " +
      "[S2-002] [S2-015] [S2-030] [S3-004] [S3-007] [S3-015] [S3-017] [S3-023] [S3-024] [S3-066] [S3-077]",
    async () => {
      const handbook = makeHandbook(FAULTS);
      const before = own(handbook);
      const planned = deaths();
      const ended = await toTheEnd(handbook, planned, planned.length + 30);
      expectWhole(handbook, ended);
      expect(own(handbook)).toEqual(before);
      expectInOrder(ended);
      expectMet(ended);
      expect(ended.lives.filter(({ signal }) => signal === "SIGKILL").length).toBeGreaterThan(ALL ? 20 : 4);
    },
    1_800_000,
  );

  it.runIf(ALL)(
    "gives the same tree when nothing goes wrong",
    async () => {
      const handbook = makeHandbook(NO_FAULTS);
      const before = own(handbook);
      const ended = await toTheEnd(handbook, [], 10);
      expectWhole(handbook, ended);
      expect(own(handbook)).toEqual(before);
      expectInOrder(ended);
    },
    900_000,
  );
});

type Event = Record<string, unknown>;

/** Nothing starts before all it builds on is done, and nothing is integrated that has no verdict PASS of its own. */
function expectInOrder({ events }: Ended): void {
  const done = new Set<unknown>();
  const passed = new Set<string>();
  for (const event of events) {
    const { type, task_id, attempt } = event as { type: string; task_id: string; attempt: number };
    if (type === "attempt_started")
      for (const dependency of TASKS.find(({ id }) => id === task_id)?.dependencies ?? [])
        expect(done, `${task_id} builds on ${dependency}`).toContain(dependency);
    if (type === "verification_finished" && event["verdict"] === "PASS") passed.add(`${task_id}#${attempt}`);
    if (type === "integration_finished" && event["integrated"] === true)
      expect(passed).toContain(`${task_id}#${attempt}`);
    if (type === "review_finished" && event["accepted"] === true) done.add(task_id);
  }
  expect(done.size).toBe(TASKS.length);
}

/** Each fault has happened, and was met as the failure policy says. */
function expectMet({ events }: Ended): void {
  const of = (type: string, id: string) => events.filter((event) => event["type"] === type && event["task_id"] === id);
  for (const id of Object.keys(FAULTS.structural))
    expect(of("attempt_started", id).length, `${id} is tried again`).toBeGreaterThan(1);
  expect(of("verification_finished", "page-1-6")).toContainEqual(expect.objectContaining({ verdict: "FAIL" }));
  expect(of("verification_finished", "page-2-3")).toContainEqual(expect.objectContaining({ verdict: "FAIL" }));
  expect(of("verification_finished", "page-4-1")).toContainEqual(expect.objectContaining({ verdict: "BLOCKED" }));
  expect(of("attempt_finished", "page-3-2")).toContainEqual(
    expect.objectContaining({ outcome: expect.objectContaining({ kind: "semantic", violation: "scope" }) as unknown }),
  );
  // What was broken before the run is in every verdict and keeps nothing from passing.
  for (const event of events)
    if (event["type"] === "verification_finished" && event["verdict"] === "PASS")
      expect(event["evidence"]).toMatch(/[1-9] failed before/);
  for (const id of ["page-1-6", "page-2-3", "page-3-2", "page-4-1"]) expectByOrderOnly(events, id);
}

/** From the moment a person is asked about a task until the answer it stands still, and others go on. */
function expectByOrderOnly(events: readonly Event[], id: string): void {
  const aboutTask = ({ escalation }: Event) => (escalation as { task_id?: string } | undefined)?.task_id === id;
  const raised = events.findIndex((event) => event["type"] === "escalation_raised" && aboutTask(event));
  const { escalation_id } = (events[raised]?.["escalation"] ?? {}) as { escalation_id?: string };
  const answered = events.findIndex(
    (event) => event["type"] === "escalation_answered" && event["escalation_id"] === escalation_id,
  );
  const between = events.slice(raised + 1, answered);
  expect(raised).toBeGreaterThan(0);
  expect(answered).toBeGreaterThan(raised);
  expect(between.filter(({ task_id }) => task_id === id)).toEqual([]);
  expect(events.slice(answered).some((event) => event["type"] === "attempt_started" && event["task_id"] === id)).toBe(
    true,
  );
}
