import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { boardGuardrails } from "../../src/hands/board/protect.js";
import { armCrashPoints, BOARD_CRASH_POINTS } from "../../src/foundation/processes/crash-points.js";
import type { Contract } from "../../src/model/settings/contract.js";
import type { RunEvent } from "../../src/model/event.js";
import { step } from "../../src/mind/run/transition.js";
import { foldRun } from "../../src/app/inspect/fold-run.js";
import type { EventStore } from "../../src/hands/store/event-store.js";
import { PERSON, planRef, runTask } from "../../src/testing/run-fixtures.js";
import { ended, Log, storeIn } from "../cli/run-logs.js";
import { workFolder } from "../cli/program.js";
import { boardIn, SETTINGS } from "./boards.js";

const RUN = "run_20260203-040506-c0ffee";
const GRADED: RunEvent = { type: "sandbox_graded", grade: "strong", reason: "", by_order: false };
const PLAN = planRef([
  runTask("TASK-023-001", { adr: "ADR-023", type: "feature" }),
  runTask("TASK-023-002", { adr: "ADR-023", type: "feature", dependencies: ["TASK-023-001"] }),
  runTask("TASK-023-003", { adr: "ADR-023", type: "test", dependencies: ["TASK-023-002"] }),
]);

const begun = () =>
  new Log("2026-02-03T06:00:00.000Z").open(PLAN).take({ type: "plan_approved", decider: PERSON }, GRADED);

async function place(log: Log): Promise<{ cwd: string; store: EventStore }> {
  const cwd = workFolder();
  const store = await storeIn(cwd);
  onTestFinished(() => store.close());
  await log.writeTo(store, RUN);
  return { cwd, store };
}

const more = async (store: EventStore, ...events: RunEvent[]) => {
  for (const event of events) {
    const { state, sequence } = await foldRun(store, RUN);
    const taken = step(state, event, 9_000_000).events;
    const at = "2026-02-03T07:00:00.000Z";
    await store.append(
      RUN,
      sequence,
      taken.map((each) => ({ event: each, at, clock_ms: 9_000_000 })),
    );
  }
};

afterEach(() => armCrashPoints(() => undefined));

describe("the files for people", () => {
  it("follow from the log, and a refresh that brings nothing new writes nothing [S3-005, S3-021]", async () => {
    const { cwd, store } = await place(begun());
    const { board, read, told } = await boardIn(cwd, store);
    await board.refresh();
    expect(read("PROJECT_HQ.md")).toContain("**TASK-023-001**");
    expect(JSON.parse(read(SETTINGS.queue))).toMatchObject({
      project: "handbook",
      tasks: [{ status: "in_progress" }, {}, {}],
    });
    const before = ["PROJECT_HQ.md", SETTINGS.queue].map((path) => statSync(join(cwd, path)).ino);
    await board.refresh();
    expect(["PROJECT_HQ.md", SETTINGS.queue].map((path) => statSync(join(cwd, path)).ino)).toEqual(before);
    await more(store, ended("TASK-023-001", 1, { kind: "quality", message: "two links lead nowhere" }));
    await board.refresh();
    expect(read("PROJECT_HQ.md")).toContain("| TASK-023-001 | quality | two links lead nowhere |");
    expect(told).toEqual([]);
  });

  it("are taken up while a run goes on [S3-005]", async () => {
    const { cwd, store } = await place(begun());
    const { board, read } = await boardIn(cwd, store);
    const following = board.follow(RUN);
    const until = async (path: string, text: string) => {
      for (let left = 200; left > 0 && !(existsSync(join(cwd, path)) && read(path).includes(text)); left--)
        await new Promise((resolve) => setTimeout(resolve, 50));
      expect(read(path)).toContain(text);
    };
    await until("PROJECT_HQ.md", "TASK-023-001");
    await more(store, ended("TASK-023-001", 1, { kind: "quality", message: "two links lead nowhere" }));
    await until("PROJECT_HQ.md", "two links lead nowhere");
    await following.stop();
  });

  it("keep what people wrote, and leave a section with broken markers alone and say so", async () => {
    const { cwd, store } = await place(begun());
    const { board, read, write, told } = await boardIn(cwd, store);
    write("PROJECT_HQ.md", "My notes\r\nwithout an end");
    await board.refresh();
    const first = read("PROJECT_HQ.md");
    expect(first.startsWith("My notes\r\nwithout an end")).toBe(true);
    write("PROJECT_HQ.md", `mine\n${first.replace("<!-- coordinator:end blockers -->", "torn")}more of mine`);
    await more(store, ended("TASK-023-001", 1, { kind: "quality", message: "links" }));
    await board.refresh();
    const text = read("PROJECT_HQ.md");
    expect([text.startsWith("mine\nMy notes\r\n"), text.endsWith("more of mine"), text.includes("torn")]).toEqual([
      true,
      true,
      true,
    ]);
    expect(told.join("\n")).toContain("Section blockers of");
    expect(text).toContain("| blocked | quality: links |");
  });

  it("give back every byte that people wrote, in whatever encoding", async () => {
    const { cwd, store } = await place(begun());
    const { board } = await boardIn(cwd, store);
    const path = join(cwd, "PROJECT_HQ.md");
    const [above, below] = [
      Buffer.from([0xff, 0xfe, 0xe9, 0x0d, 0x0a, 0x80]),
      Buffer.from("ünd \u{1F600}\t\r", "utf8"),
    ];
    writeFileSync(path, above);
    await board.refresh();
    writeFileSync(path, Buffer.concat([readFileSync(path), below]));
    await more(store, ended("TASK-023-001", 1, { kind: "quality", message: "links" }));
    await board.refresh();
    const bytes = readFileSync(path);
    expect(bytes.subarray(0, above.length).equals(above)).toBe(true);
    expect(bytes.subarray(-below.length).equals(below)).toBe(true);
    expect(bytes.toString("utf8")).toContain("| blocked | quality: links |");
  });

  it("that somebody edited are noticed: the edit is kept, proposed, and neither lost nor obeyed", async () => {
    const { cwd, store } = await place(begun());
    const { board, read, write, told } = await boardIn(cwd, store);
    await board.refresh();
    const written = read(SETTINGS.queue);
    const edited = written.replace('"status": "pending"', '"status": "skipped"');
    write(SETTINGS.queue, edited);
    await board.refresh();
    expect(read(SETTINGS.queue)).toBe(written);
    expect(told[0]).toContain("The work queue was changed by hand: 1 change is proposed");
    const folder = join(cwd, ".coordinator/board");
    const [kept = ""] = readdirSync(join(folder, "edits"));
    expect(readFileSync(join(folder, "edits", kept), "utf8")).toBe(edited);
    const state = JSON.parse(readFileSync(join(folder, "state.json"), "utf8")) as { proposed: unknown[] };
    expect(state.proposed).toMatchObject([{ run: RUN, task: "TASK-023-002", change: { action: "skip_task" } }]);
    write(SETTINGS.queue, "not JSON");
    await board.refresh();
    expect([read(SETTINGS.queue), readdirSync(join(folder, "edits")).length]).toEqual([written, 2]);
  });

  it("that somebody removed are written anew, and that is told each time", async () => {
    const { cwd, store } = await place(begun());
    const { board, read, told } = await boardIn(cwd, store);
    await board.refresh();
    expect(told).toEqual([]);
    const written = read(SETTINGS.queue);
    rmSync(join(cwd, SETTINGS.queue));
    await board.refresh();
    expect(read(SETTINGS.queue)).toBe(written);
    expect(told).toEqual([expect.stringContaining("tasks/work_queue.json was removed by hand; it is written anew")]);
    const another = await boardIn(cwd, store);
    rmSync(join(cwd, SETTINGS.queue));
    await another.board.refresh();
    expect(another.told).toHaveLength(1);
  });

  it("that were there before the Coordinator came are kept", async () => {
    const { cwd, store } = await place(begun());
    const { board, read } = await boardIn(cwd, store);
    mkdirSync(join(cwd, "tasks"));
    writeFileSync(join(cwd, SETTINGS.queue), '{"mine": true}');
    await board.refresh();
    expect(read(SETTINGS.queue)).toContain("TASK-023-001");
    const [kept = ""] = readdirSync(join(cwd, ".coordinator/board/edits"));
    expect(readFileSync(join(cwd, ".coordinator/board/edits", kept), "utf8")).toBe('{"mine": true}');
  });

  it("are kept from agents, wherever they are configured to be", () => {
    expect(boardGuardrails(SETTINGS)).toMatchObject([
      {
        id: "protect_board",
        severity: "frozen",
        override: "nobody",
        paths: [SETTINGS.queue, "PROJECT_HQ.md", "sessions/**"],
      },
    ]);
    expect(boardGuardrails({ queue: false, hq: false, sessions: false })).toEqual([]);
  });
});

describe("a handoff", () => {
  const without = (contract: Contract, action: "create_handoff" | "update_project_hq"): Contract => ({
    ...contract,
    allowed_actions: contract.allowed_actions.filter((each) => each !== action),
    forbidden_actions: [...contract.forbidden_actions, action],
  });

  it("is left when a session ends, noted in PROJECT_HQ.md, and read by the next [S3-006, S3-018, S3-020, S3-061]", async () => {
    const { cwd, store } = await place(begun().finish("TASK-023-001"));
    const { board, read } = await boardIn(cwd, store);
    mkdirSync(join(cwd, "docs/adr"), { recursive: true });
    writeFileSync(join(cwd, "docs/adr/0023-certifications.md"), "# x\n");
    await board.beginSession(RUN);
    const left = await board.handOff(RUN, "ended");
    expect(left).toMatchObject({ id: "2026-02-03-001", path: "sessions/2026-02-03-001.md", read: null });
    const text = read("sessions/2026-02-03-001.md");
    expect(text).toContain("| TASK-023-001 | Task TASK-023-001 | FeatureBuilder (agent_a) |");
    expect(text).toContain("| src/TASK-023-001.ts | +3/-1 | FeatureBuilder |");
    expect(text).toContain("- [ADR-023](../docs/adr/0023-certifications.md)");
    expect(read("PROJECT_HQ.md")).toContain("Session ended: [2026-02-03-001](sessions/2026-02-03-001.md)");
    expect(await board.handOff(RUN, "ended")).toEqual(left);
    expect(await board.beginSession(RUN)).toMatchObject({ id: "2026-02-03-001", read: { by: `session of ${RUN}` } });
    await more(store, GRADED);
    expect(await board.handOff(RUN, "asked")).toMatchObject({ id: "2026-02-03-002" });
    expect(await board.readLast("ada")).toMatchObject({ id: "2026-02-03-002", read: { by: "ada" } });
  });

  it("of a session that died is written by the next one, once [S3-006]", async () => {
    const { cwd, store } = await place(
      new Log("2026-02-03T05:30:00.000Z").open(PLAN).take({ type: "plan_approved", decider: PERSON }),
    );
    const { board, read } = await boardIn(cwd, store);
    expect(await board.beginSession(RUN)).toBeNull();
    await more(store, GRADED, ended("TASK-023-001", 1, { kind: "quality", message: "links" }));
    expect(await board.beginSession(RUN)).toMatchObject({ id: "2026-02-03-001" });
    expect(read("sessions/2026-02-03-001.md")).toContain("its process died");
    await board.beginSession(RUN);
    expect(readdirSync(join(cwd, "sessions"))).toEqual(["2026-02-03-001.md"]);
  });

  it.each(BOARD_CRASH_POINTS)("is one document whatever dies at %s", async (point) => {
    const { cwd, store } = await place(begun().finish("TASK-023-001"));
    const { board, read } = await boardIn(cwd, store);
    await board.beginSession(RUN);
    armCrashPoints((at) => {
      if (at === point) throw new Error("died");
    });
    await expect(board.handOff(RUN, "ended")).rejects.toThrow("died");
    armCrashPoints(() => undefined);
    await board.beginSession(RUN);
    expect(readdirSync(join(cwd, "sessions"))).toEqual(["2026-02-03-001.md"]);
    expect(read("sessions/2026-02-03-001.md")).toContain("## Notes");
  });

  it("and every file are left out where the contract forbids them or switches them off [S3-071]", async () => {
    const { cwd, store } = await place(begun());
    const off = (contract: Contract): Contract => ({
      ...contract,
      behaviors: { ...contract.behaviors, auto_create_handoff: false, auto_update_project_hq: false },
    });
    const quiet = await boardIn(cwd, store, off);
    await quiet.board.beginSession(RUN);
    expect(await quiet.board.handOff(RUN, "ended")).toBeNull();
    expect([existsSync(join(cwd, "PROJECT_HQ.md")), existsSync(join(cwd, "sessions"))]).toEqual([false, false]);
    expect(quiet.told).toEqual([]);
    const held = await boardIn(cwd, store, (contract) =>
      without(without(contract, "update_project_hq"), "create_handoff"),
    );
    expect(await held.board.handOff(RUN, "asked")).toBeNull();
    await held.board.refresh();
    expect(held.told).toEqual([
      "Not done, because of the contract: forbidden_actions: create_handoff",
      "Not done, because of the contract: forbidden_actions: update_project_hq",
    ]);
    expect(existsSync(join(cwd, "PROJECT_HQ.md"))).toBe(false);
  });
});
