import assert from "node:assert/strict";
import type { EffectEnd } from "../hands/attempts/shim/adopt.js";

/*
 * Demands on everything that has the work of effects done, as cases that throw when it fails one: shims of this machine, and
 * workers on others. The work of bodies is counted outside of both.
 */

/** The things a body can do. */
export type Body =
  | { readonly does: "value"; readonly value: unknown }
  /** Ends when it is let go. */
  | { readonly does: "held" }
  | { readonly does: "throws" }
  | { readonly does: "tells"; readonly count: number };

interface Told {
  readonly signal?: AbortSignal;
  readonly onNote?: (note: unknown) => void;
}

export interface WorkUnderTest {
  /** Ask for an effect, as the process that carries out the run. */
  readonly ask: (
    id: string,
    body: Body,
    told?: Told,
  ) => Promise<Pick<EffectEnd, "status"> & { readonly value?: unknown; readonly message?: string }>;
  readonly stop: (id: string) => Promise<void>;
  readonly goesOn: (id: string) => Promise<boolean>;
  /** Ask from now on as another process, which knows nothing of what this one was told. */
  readonly replaceAsker: () => Promise<void>;
  readonly letGo: (id: string) => void;
  /** How often a body began and ended, as the bodies wrote it down. */
  readonly count: (what: "start" | "end", id: string) => number;
  /** Resolves when it is so. */
  readonly until: (isSo: () => boolean) => Promise<void>;
}

export interface WorkCase {
  readonly name: string;
  readonly run: (under: WorkUnderTest) => Promise<void>;
}

const VALUES: readonly unknown[] = [0, false, null, "", "ä\u0000\n", [], { a: { b: [1, null] } }, 1e300];

export const WORK_CASES: readonly WorkCase[] = [
  {
    name: "gives every value as it is, empty ones among them",
    async run({ ask, count }) {
      const ends = await Promise.all(VALUES.map((value, i) => ask(`attempt:value${i}#1`, { does: "value", value })));
      assert.deepEqual(
        ends.map(({ status, value }) => [status, value]),
        VALUES.map((value) => ["done", value]),
      );
      for (const i of VALUES.keys()) assert.equal(count("end", `attempt:value${i}#1`), 1);
    },
  },
  {
    name: "gives a value again however often it is asked for, and does nothing twice",
    async run({ ask, count, replaceAsker }) {
      const id = "attempt:again#1";
      for (let n = 0; n < 3; n++) {
        const { status, value } = await ask(id, { does: "value", value: 7 });
        assert.deepEqual([status, value], ["done", 7]);
        if (n === 1) await replaceAsker();
      }
      assert.deepEqual([count("start", id), count("end", id)], [1, 1]);
    },
  },
  {
    name: "says that an effect goes on from when it was asked for, and of no other",
    async run({ ask, goesOn, letGo, until, count }) {
      const id = "attempt:on#1";
      assert.equal(await goesOn(id), false);
      const asked = ask(id, { does: "held" });
      await until(() => count("start", id) === 1);
      assert.deepEqual([await goesOn(id), await goesOn("attempt:on#2")], [true, false]);
      letGo(id);
      assert.equal((await asked).status, "done");
    },
  },
  {
    name: "goes on when the one who asked has died, and the next one who asks takes it over",
    async run({ ask, replaceAsker, letGo, until, count }) {
      const id = "attempt:adopted#1";
      void ask(id, { does: "held" }).catch(() => undefined);
      await until(() => count("start", id) === 1);
      await replaceAsker();
      const taken = ask(id, { does: "held" });
      letGo(id);
      assert.deepEqual([(await taken).status, (await taken).value], ["done", id]);
      assert.deepEqual([count("start", id), count("end", id)], [1, 1]);
    },
  },
  {
    name: "stops what is told to stop: the body ends without having finished",
    async run({ ask, until, count }) {
      const id = "attempt:stopped#1";
      const stop = new AbortController();
      const asked = ask(id, { does: "held" }, { signal: stop.signal });
      await until(() => count("start", id) === 1);
      stop.abort();
      assert.equal((await asked).status, "stopped");
      assert.equal(count("end", id), 0);
    },
  },
  {
    name: "stops an effect by its id, whoever asked for it",
    async run({ ask, stop, replaceAsker, until, count }) {
      const id = "attempt:ended#1";
      void ask(id, { does: "held" }).catch(() => undefined);
      await until(() => count("start", id) === 1);
      await replaceAsker();
      await stop(id);
      assert.equal(count("end", id), 0);
    },
  },
  {
    name: "does nothing for an effect that was told to stop before it began",
    async run({ ask, count }) {
      const id = "attempt:never#1";
      const { status } = await ask(id, { does: "value", value: 1 }, { signal: AbortSignal.abort() });
      assert.deepEqual([status, count("start", id)], ["stopped", 0]);
    },
  },
  {
    name: "reports a body that throws as crashed, with what it said",
    async run({ ask }) {
      const end = await ask("attempt:throws#1", { does: "throws" });
      assert.equal(end.status, "crashed");
      assert.match(end.message ?? "", /a body that fails/);
    },
  },
  {
    name: "tells what a body tells, each once, in order, before its end",
    async run({ ask }) {
      const told: unknown[] = [];
      const { value } = await ask(
        "attempt:tells#1",
        { does: "tells", count: 20 },
        { onNote: (note) => void told.push(note) },
      );
      assert.equal(value, 20);
      assert.deepEqual(
        told,
        Array.from({ length: 20 }, (_, n) => ({ type: "busy", text: `note ${n + 1}` })),
      );
    },
  },
  {
    name: "does many effects that were asked for at once, each once",
    async run({ ask, count }) {
      const ids = Array.from({ length: 12 }, (_, i) => `verify:many${i}#1`);
      const ends = await Promise.all(ids.map((id, i) => ask(id, { does: "value", value: i })));
      assert.deepEqual(
        ends.map(({ value }) => value),
        ids.map((_, i) => i),
      );
      for (const id of ids) assert.deepEqual([id, count("start", id), count("end", id)], [id, 1, 1]);
    },
  },
];
