import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { LoggedEvent } from "../../../model/event.js";
import type { RunState } from "../../../mind/run/state.js";
import { newProjectNotes, takeEvent } from "../../../mind/report/project-state/project-notes.js";
import { projectState } from "../../../mind/report/project-state/project-state.js";
import { loadSigningKey } from "../../../hands/store/chain/signing-key.js";
import type { EventReader } from "../../../hands/store/event-store.js";
import { createMemoryStore } from "../../../hands/store/memory-store.js";
import { sha256 } from "../../../hands/store/sha256.js";
import { makeStateFolder, type StateFolder, stateFolder } from "../../project/state-folder.js";
import { createRunFold } from "../fold-run.js";
import { overviewOf } from "../overview.js";
import { lookAtRun, startLook } from "./run-look.js";
import type { Looked } from "./snapshot-file.js";

const HISTORIES = fileURLToPath(new URL("../../../../test/histories", import.meta.url));
const names = readdirSync(HISTORIES).filter((name) => existsSync(join(HISTORIES, name, "log.jsonl")));

const logOf = (name: string): LoggedEvent[] =>
  readFileSync(join(HISTORIES, name, "log.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as LoggedEvent);

let at: StateFolder;
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "coordinator-snapshots-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  at = stateFolder(root);
  makeStateFolder(at);
  loadSigningKey(at.folder);
});

/** A log up to one of its events, and how many events were read of it. */
function readerOf(log: readonly LoggedEvent[]) {
  const seen = { events: 0 };
  async function* range({ from = 1, to = log.length } = {}) {
    for (const logged of log) if (logged.sequence >= from && logged.sequence <= to) yield logged;
  }
  const reader: Pick<EventReader, "read" | "entries"> = {
    entries: (_, between) => range(between),
    async *read(_, between) {
      for await (const logged of range(between)) {
        seen.events++;
        yield logged;
      }
    },
  };
  return { reader: reader as EventReader, seen };
}

/** All that can be seen of a look, with the lists of the state written out. */
function plain({ run, notes }: Looked) {
  const state = ({ tasks, ready, levels, ...rest }: RunState) => ({
    ...rest,
    tasks: [...tasks],
    ready: [...ready],
    levels: levels === null ? null : { ...levels, open: [...levels.open] },
  });
  return { run: { ...run, state: state(run.state) }, notes: { ...notes, run: state(notes.run) } };
}

function freshly(log: readonly LoggedEvent[]): Looked {
  const fold = createRunFold(log[0]?.run_id ?? "");
  const notes = newProjectNotes();
  for (const logged of log) takeEvent(notes, logged, fold.take(logged).after);
  return { run: fold.now(), notes };
}

const told = ({ run, notes }: Looked) => [overviewOf(run, true), projectState(notes)];

describe.each(names)("snapshots of %s", (name) => {
  const log = logOf(name);
  const run = log[0]?.run_id ?? "";

  it("after each event: going on from it gives what the whole log gives, and reads only what is new", async () => {
    const whole = freshly(log);
    for (let cut = 1; cut <= log.length; cut++) {
      rmSync(join(at.folder, "snapshots"), { recursive: true, force: true });
      const beginning = log.slice(0, cut);
      await lookAtRun(readerOf(beginning).reader, run, at, 1);
      const { reader, seen } = readerOf(log);
      const looked = await lookAtRun(reader, run, at, Infinity);
      expect(seen.events).toBe(log.length - cut);
      expect(plain(looked)).toEqual(plain(whole));
      expect(told(looked)).toEqual(told(whole));
    }
  });

  it("are of no use to a log that has another event there", async () => {
    await lookAtRun(readerOf(log).reader, run, at, 1);
    const rewritten = log.map((logged) => ({ ...logged, hash: sha256(logged.hash) }));
    const { reader, seen } = readerOf(rewritten);
    expect(plain(await lookAtRun(reader, run, at, Infinity))).toEqual(plain(freshly(rewritten)));
    expect(seen.events).toBe(log.length);
  });
});

describe("a snapshot", () => {
  const log = logOf("0.1.0-completed");
  const run = log[0]?.run_id ?? "";
  const file = () => join(at.folder, "snapshots", run);

  /** How many events are read to look at the run. */
  async function readsNow(): Promise<number> {
    const { reader, seen } = readerOf(log);
    expect(told(await lookAtRun(reader, run, at, Infinity))).toEqual(told(freshly(log)));
    return seen.events;
  }

  it("may be deleted at any time, and is not looked for where no project is named", async () => {
    await lookAtRun(readerOf(log).reader, run, at, 1);
    expect(await readsNow()).toBe(0);
    rmSync(file());
    expect(await readsNow()).toBe(log.length);
    const { reader, seen } = readerOf(log);
    await lookAtRun(reader, run, null, 1);
    expect([seen.events, existsSync(file())]).toEqual([log.length, false]);
  });

  it("with any byte changed, cut off, or of another run is not believed", async () => {
    await lookAtRun(readerOf(log).reader, run, at, 1);
    const good = readFileSync(file());
    const head = good.indexOf("\n", good.indexOf("\n") + 1);
    // Every byte of what is signed and of the signature, and some of what it is the checksum of.
    for (let where = 0; where < good.length; where += where < head ? 1 : 97) {
      const bytes = Buffer.from(good);
      bytes[where] = (bytes[where] as number) ^ 1;
      writeFileSync(file(), bytes);
      const read = await readsNow();
      // Base64 has bits at its end that say nothing.
      if (where < head - 3 || where > head) expect([where, read]).toEqual([where, log.length]);
    }
    for (const bytes of [Buffer.alloc(0), good.subarray(0, head), good.subarray(0, -1), Buffer.from("\n\n")]) {
      writeFileSync(file(), bytes);
      expect(await readsNow()).toBe(log.length);
    }
    writeFileSync(file(), good);
    expect(await readsNow()).toBe(0);
    writeFileSync(join(at.folder, "snapshots", "run_other"), good);
    const other = log.map((logged) => ({ ...logged, run_id: "run_other" }));
    const { reader, seen } = readerOf(other);
    await lookAtRun(reader, "run_other", at, Infinity);
    expect(seen.events).toBe(log.length);
  });

  it("signed with another key is not believed, and without a key there is none", async () => {
    await lookAtRun(readerOf(log).reader, run, at, 1);
    rmSync(join(at.folder, "signing-key.pem"));
    expect(await readsNow()).toBe(log.length);
    loadSigningKey(at.folder);
    expect(await readsNow()).toBe(log.length);
    rmSync(join(at.folder, "signing-key.pem"));
    rmSync(file());
    await lookAtRun(readerOf(log).reader, run, at, 1);
    expect(existsSync(file())).toBe(false);
  });

  it("is left every so many events, and the one before it serves who follows from between", async () => {
    const [first, second] = [log.slice(0, 10), log.slice(0, 20)];
    await lookAtRun(readerOf(first).reader, run, at, 10);
    await lookAtRun(readerOf(log.slice(0, 15)).reader, run, at, 10);
    expect((await startLook(readerOf(log).reader, run, at)).next).toBe(11);
    await lookAtRun(readerOf(second).reader, run, at, 10);
    expect((await startLook(readerOf(log).reader, run, at)).next).toBe(21);
    expect((await startLook(readerOf(log).reader, run, at, 21)).next).toBe(21);
    expect((await startLook(readerOf(log).reader, run, at, 20)).next).toBe(11);
    expect((await startLook(readerOf(log).reader, run, at, 10)).next).toBe(1);
  });

  it("that cannot be written is none", async () => {
    writeFileSync(join(at.folder, "snapshots"), "somebody else's");
    await lookAtRun(readerOf(log).reader, run, at, 1);
    expect(await readsNow()).toBe(log.length);
  });

  it("is not made of a log that cannot be folded", async () => {
    const store = createMemoryStore({ sha256 });
    await store.append("run_x", 0, [{ event: { type: "unheard_of" } as never, at: "", clock_ms: 0 }]);
    await expect(lookAtRun(store, "run_x", at, 1)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    expect(existsSync(join(at.folder, "snapshots", "run_x"))).toBe(false);
  });
});
