import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { LoggedEvent, RunEvent } from "../model/event.js";
import { verifyChain } from "../hands/store/chain/verify-chain.js";
import { type EventReader, type EventStore, type NewEvent, plainEntry } from "../hands/store/event-store.js";

/*
 * Demands on every event store, as cases that throw when it fails one. A store runs all of them; one that cannot do
 * something says so in `skips`, with the reason.
 */

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A store under test, and the way to end it and open it again with what it kept. */
export interface StoreUnderTest {
  readonly store: EventStore;
  readonly reopen: () => Promise<EventStore>;
}

export interface StoreCase {
  readonly name: string;
  /** Set for a case that only some stores can pass. */
  readonly needs?: "durability";
  readonly run: (under: StoreUnderTest) => Promise<void>;
}

const RUN = "run_suite";
const AT = "2026-02-03T04:05:06Z";
const NOTHING = { tokens: 0, cost_usd: 0, minutes: 0, files: 0, commits: 0, api_calls: 0 };

export const newEvent = (event: RunEvent, clock_ms = 0, at = AT): NewEvent => ({ event, at, clock_ms });
export const pauseEvent = (reason: string, clock_ms = 0): NewEvent =>
  newEvent({ type: "dispatch_paused", reason }, clock_ms);
export const startEvent = (task_id: string, attempt: number): NewEvent =>
  newEvent({ type: "attempt_started", task_id, attempt, agent: "scripted", reserved: NOTHING });
const finishEvent = (task_id: string, attempt: number): NewEvent =>
  newEvent({
    type: "attempt_finished",
    task_id,
    attempt,
    outcome: { kind: "completed", output_ref: "refs/out" },
    usage: { amounts: NOTHING, source: "reported" },
  });
export const endEvent = (): NewEvent => newEvent({ type: "run_finished", status: "completed", reason: "done" });

export async function readAll(store: EventReader, runId: string, range = {}): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for await (const event of store.read(runId, range)) events.push(event);
  return events;
}

async function appendEvents(
  store: EventStore,
  runId: string,
  expected: number,
  events: readonly NewEvent[],
): Promise<readonly LoggedEvent[]> {
  const result = await store.append(runId, expected, events);
  if (result.status !== "appended") assert.fail(`the append was not taken: ${JSON.stringify(result)}`);
  return result.events;
}

const reasons = (events: readonly LoggedEvent[]) =>
  events.map(({ event }) => (event.type === "dispatch_paused" ? event.reason : event.type));

export const STORE_CASES: readonly StoreCase[] = [
  {
    name: "gives back what was appended, numbered and chained",
    async run({ store }) {
      const written = [
        ...(await appendEvents(store, RUN, 0, [pauseEvent("a", 1), pauseEvent("b", 2)])),
        ...(await appendEvents(store, RUN, 2, [pauseEvent("c", 3.5)])),
      ];
      assert.deepEqual(
        written.map(({ sequence }) => sequence),
        [1, 2, 3],
      );
      const read = await readAll(store, RUN);
      assert.deepEqual(read, written);
      assert.deepEqual(verifyChain(read, { runId: RUN, sha256 }).findings, []);
      assert.deepEqual(await store.head(RUN), { run_id: RUN, sequence: 3, hash: read[2]?.hash });
    },
  },
  {
    name: "answers a writer that expected another sequence with a conflict and writes nothing",
    async run({ store }) {
      await appendEvents(store, RUN, 0, [pauseEvent("a"), pauseEvent("b")]);
      for (const expected of [0, 1, 3])
        assert.deepEqual(await store.append(RUN, expected, [pauseEvent("x")]), {
          status: "conflict",
          expected,
          actual: 2,
        });
      assert.deepEqual(reasons(await readAll(store, RUN)), ["a", "b"]);
    },
  },
  {
    name: "knows nothing of a run nobody opened",
    async run({ store }) {
      assert.equal(await store.head("run_unknown"), null);
      assert.deepEqual(await readAll(store, "run_unknown"), []);
      assert.deepEqual(await store.runs(), []);
      assert.equal(await store.get("run_unknown", "key"), null);
      assert.deepEqual(await store.list("run_unknown", ""), []);
      assert.deepEqual(await store.append("run_unknown", 5, [pauseEvent("x")]), {
        status: "conflict",
        expected: 5,
        actual: 0,
      });
    },
  },
  {
    name: "lets a run be claimed, again by the same store, and given back",
    async run({ store }) {
      const empty = { run_id: RUN, sequence: 0, hash: "0".repeat(64) };
      assert.deepEqual(await store.claim(RUN), { status: "claimed", head: empty });
      const [event] = await appendEvents(store, RUN, 0, [pauseEvent("a")]);
      assert.deepEqual(await store.claim(RUN), {
        status: "claimed",
        head: { run_id: RUN, sequence: 1, hash: event?.hash },
      });
      await store.release(RUN);
      await store.release("run_unknown");
      assert.equal((await store.claim(RUN)).status, "claimed");
      assert.equal(await store.head("run_unknown"), null);
    },
  },
  {
    name: "opens an empty run, once or often",
    async run({ store }) {
      const empty = { run_id: RUN, sequence: 0, hash: "0".repeat(64) };
      assert.deepEqual(await store.open(RUN), empty);
      assert.deepEqual(await store.open(RUN), empty);
      assert.deepEqual(await store.head(RUN), empty);
      assert.deepEqual(await store.runs(), [{ ...empty, first_at: null, last_at: null }]);
      const [event] = await appendEvents(store, RUN, 0, [pauseEvent("a")]);
      assert.deepEqual(await store.open(RUN), { run_id: RUN, sequence: 1, hash: event?.hash });
    },
  },
  {
    name: "takes an append of nothing, if the writer is up to date",
    async run({ store }) {
      assert.deepEqual(await appendEvents(store, RUN, 0, []), []);
      assert.equal((await store.append(RUN, 1, [])).status, "conflict");
    },
  },
  {
    name: "keeps 10,000 events in order and reads any stretch of them",
    async run({ store }) {
      const events = Array.from({ length: 10_000 }, (_, i) => pauseEvent(`r${i + 1}`, i));
      let sequence = 0;
      for (let i = 0; i < events.length; i += 500)
        sequence = (await appendEvents(store, RUN, sequence, events.slice(i, i + 500))).at(-1)?.sequence ?? -1;
      const all = await readAll(store, RUN);
      assert.deepEqual(
        reasons(all),
        events.map((_, i) => `r${i + 1}`),
      );
      assert.deepEqual(verifyChain(all, { runId: RUN, sha256 }).findings, []);
      const stretch = async (range: object) => (await readAll(store, RUN, range)).map((event) => event.sequence);
      assert.deepEqual(await stretch({ from: 9_998 }), [9_998, 9_999, 10_000]);
      assert.deepEqual(await stretch({ to: 2 }), [1, 2]);
      assert.deepEqual(await stretch({ from: 5_000, to: 5_001 }), [5_000, 5_001]);
      assert.equal((await stretch({ from: 100, to: 1_099 })).length, 1_000);
      assert.deepEqual(await stretch({ from: 10_001 }), []);
      assert.deepEqual(await stretch({ from: 5, to: 4 }), []);
    },
  },
  {
    name: "lets one of many writers with the same expectation through",
    async run({ store }) {
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, i) => store.append(RUN, 0, [pauseEvent(`w${i}`)])),
      );
      const won = results.filter(({ status }) => status === "appended");
      assert.equal(won.length, 1);
      assert.equal(results.filter(({ status }) => status === "conflict").length, 49);
      assert.equal((await readAll(store, RUN)).length, 1);
    },
  },
  {
    name: "takes appends of many runs at the same time, each in its order",
    async run({ store }) {
      const runs = Array.from({ length: 20 }, (_, i) => `run_many_${String(i).padStart(2, "0")}`);
      await Promise.all(
        runs.map(async (runId) => {
          for (let n = 0; n < 25; n++) await appendEvents(store, runId, n, [pauseEvent(`${runId} ${n}`)]);
        }),
      );
      for (const runId of runs) {
        const events = await readAll(store, runId);
        assert.deepEqual(
          reasons(events),
          Array.from({ length: 25 }, (_, n) => `${runId} ${n}`),
        );
        assert.deepEqual(verifyChain(events, { runId, sha256 }).findings, []);
      }
      assert.deepEqual(
        (await store.runs()).map(({ run_id, sequence }) => [run_id, sequence]),
        runs.map((runId) => [runId, 25]),
      );
    },
  },
  {
    name: "carries appends of one turn out in the order they were asked for",
    async run({ store }) {
      const results = await Promise.all([0, 1, 2, 3].map((n) => store.append(RUN, n, [pauseEvent(`n${n}`)])));
      assert.deepEqual(
        results.map(({ status }) => status),
        ["appended", "appended", "appended", "appended"],
      );
      assert.deepEqual(reasons(await readAll(store, RUN)), ["n0", "n1", "n2", "n3"]);
    },
  },
  {
    name: "keeps nothing, no, null, the empty text and every sign as they are",
    async run({ store }) {
      const context = {
        zero: 0,
        no: false,
        nothing: null,
        empty: "",
        list: [],
        object: {},
        "": "no key",
        signs: "ä € 😀 \u0000 \u001f \u2028 \\ \" ' ` 𝒳 e\u0301",
        numbers: [1e21, 1e-7, 0.1, -1, 9_007_199_254_740_991],
        __proto__key: "__proto__",
      };
      const event: RunEvent = {
        type: "message_sent",
        message: {
          message_id: "9b2e1a30-5b5c-4c7e-9f43-0a3d2c1b4e5f",
          from: "coordinator",
          to: "planner",
          timestamp: AT,
          type: "planning_request",
          payload: {
            request_id: "",
            objective: "",
            requirements: [],
            constraints: { max_tokens: 0, max_time_seconds: 0, technologies: [], project_type: "" },
            context,
          },
        },
      };
      await appendEvents(store, RUN, 0, [
        newEvent(event, 0),
        newEvent({ type: "question_asked", question_id: "q", task_id: null, question: "" }, 0.5),
      ]);
      const [first, second] = await readAll(store, RUN);
      assert.deepEqual(first?.event, event);
      assert.equal(first?.clock_ms, 0);
      assert.equal(second?.clock_ms, 0.5);
      assert.deepEqual(second?.event, { type: "question_asked", question_id: "q", task_id: null, question: "" });
    },
  },
  {
    name: "refuses a second start and a second end of an attempt, and the rest of that append",
    async run({ store }) {
      await appendEvents(store, RUN, 0, [startEvent("t1", 1), finishEvent("t1", 1), startEvent("t1", 2)]);
      assert.deepEqual(await store.append(RUN, 3, [pauseEvent("x"), startEvent("t1", 1)]), {
        status: "duplicate",
        sequence: 1,
      });
      assert.deepEqual(await store.append(RUN, 3, [finishEvent("t1", 1)]), { status: "duplicate", sequence: 2 });
      assert.deepEqual(await store.append(RUN, 3, [startEvent("t2", 1), startEvent("t2", 1)]), {
        status: "duplicate",
        sequence: 4,
      });
      await appendEvents(store, RUN, 3, [finishEvent("t1", 2), startEvent("t2", 1)]);
      await appendEvents(store, "run_other", 0, [startEvent("t1", 1)]);
      assert.equal((await readAll(store, RUN)).length, 5);
    },
  },
  {
    name: "lets a refused append fail alone, whatever is appended beside it",
    async run({ store }) {
      await appendEvents(store, RUN, 0, [startEvent("t1", 1)]);
      const [before, bad, after, other] = await Promise.all([
        store.append(RUN, 1, [pauseEvent("before")]),
        store.append(RUN, 2, [startEvent("t1", 1)]),
        store.append(RUN, 2, [pauseEvent("after")]),
        store.append("run_other", 0, [pauseEvent("other")]),
      ]);
      assert.deepEqual(
        [before.status, bad.status, after.status, other.status],
        ["appended", "duplicate", "appended", "appended"],
      );
      assert.deepEqual(reasons(await readAll(store, RUN)), ["attempt_started", "before", "after"]);
      assert.deepEqual(verifyChain(await readAll(store, RUN), { runId: RUN, sha256 }).findings, []);
    },
  },
  {
    name: "rejects what JSON cannot carry, and goes on",
    async run({ store }) {
      const bad = [pauseEvent("lone \ud800"), pauseEvent("x", Number.NaN), pauseEvent("x", Number.POSITIVE_INFINITY)];
      for (const event of bad) await assert.rejects(store.append(RUN, 0, [event]), TypeError);
      assert.equal((await readAll(store, RUN)).length, 0);
      await appendEvents(store, RUN, 0, [pauseEvent("fine")]);
    },
  },
  {
    name: "is not changed by what its callers do to their events afterwards",
    async run({ store }) {
      const given = pauseEvent("as given");
      const asking = store.append(RUN, 0, [given]);
      (given.event as { reason: string }).reason = "changed";
      await asking;
      const [read] = await readAll(store, RUN);
      if (read !== undefined) (read.event as { reason: string }).reason = "changed too";
      assert.deepEqual(reasons(await readAll(store, RUN)), ["as given"]);
    },
  },
  {
    name: "keeps small texts per run and lists them in the order of their keys",
    async run({ store }) {
      await store.put(RUN, "checkpoint/2", "two");
      await store.put(RUN, "checkpoint/1", "one");
      await store.put(RUN, "anchor", "");
      await store.put(RUN, "checkpoint/2", "two again");
      await store.put("run_other", "checkpoint/9", "nine");
      assert.equal(await store.get(RUN, "anchor"), "");
      assert.equal(await store.get(RUN, "nowhere"), null);
      assert.deepEqual(await store.list(RUN, "checkpoint/"), [
        { key: "checkpoint/1", value: "one" },
        { key: "checkpoint/2", value: "two again" },
      ]);
    },
  },
  {
    name: "gives entries that, written out, are what readers read",
    async run({ store }) {
      await appendEvents(store, RUN, 0, [startEvent("t1", 1), pauseEvent("b")]);
      const written: unknown[] = [];
      for await (const entry of store.entries(RUN)) {
        const { text: _, ...rest } = plainEntry(entry);
        written.push(JSON.parse(JSON.stringify(rest)));
      }
      assert.deepEqual(written, await readAll(store, RUN));
    },
  },
  {
    name: "lists runs with their first and last time",
    async run({ store }) {
      const second = "2026-02-03T05:00:00Z";
      await appendEvents(store, "run_bbbb", 0, [pauseEvent("a")]);
      await appendEvents(store, "run_aaaa", 0, [
        pauseEvent("a"),
        newEvent({ type: "dispatch_paused", reason: "b" }, 1, second),
      ]);
      assert.deepEqual(
        (await store.runs()).map(({ hash: _, ...rest }) => rest),
        [
          { run_id: "run_aaaa", sequence: 2, first_at: AT, last_at: second },
          { run_id: "run_bbbb", sequence: 1, first_at: AT, last_at: AT },
        ],
      );
    },
  },
  {
    name: "refuses everything after it was closed, which happens once",
    async run({ store }) {
      const asked = store.append(RUN, 0, [pauseEvent("in time")]);
      await Promise.all([store.close(), store.close()]);
      assert.equal((await asked).status, "appended");
      const closed = { code: "STORE_FAILED" };
      await assert.rejects(store.append(RUN, 1, [pauseEvent("late")]), closed);
      await assert.rejects(store.head(RUN), closed);
      await assert.rejects(store.put(RUN, "a", "b"), closed);
      await assert.rejects(readAll(store, RUN), closed);
    },
  },
  {
    name: "has everything after it was closed and opened again, and goes on",
    needs: "durability",
    async run({ store, reopen }) {
      const before = await appendEvents(store, RUN, 0, [pauseEvent("a"), startEvent("t1", 1)]);
      await store.put(RUN, "note", "kept");
      const again = await reopen();
      assert.deepEqual(await readAll(again, RUN), before);
      assert.equal(await again.get(RUN, "note"), "kept");
      assert.deepEqual(await again.append(RUN, 1, [pauseEvent("x")]), { status: "conflict", expected: 1, actual: 2 });
      assert.deepEqual(await again.append(RUN, 2, [startEvent("t1", 1)]), { status: "duplicate", sequence: 2 });
      await appendEvents(again, RUN, 2, [pauseEvent("b")]);
      assert.deepEqual(verifyChain(await readAll(again, RUN), { runId: RUN, sha256 }).findings, []);
    },
  },
];
