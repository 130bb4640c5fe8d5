import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { notReady, whyNotBegun } from "../attempts/attempt-endings.js";
import { CoordinatorError } from "../../model/errors.js";
import { givesBack, isOfMachine } from "./machine-trouble.js";
import { perform, type PerformParts } from "./perform.js";
import { patiently } from "./result-refs.js";
import type { Work } from "./work-order.js";

vi.mock("node:timers/promises", () => ({
  setTimeout: (ms: number) => new Promise((resolve) => void globalThis.setTimeout(resolve, ms)),
}));

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const away = (message = "") => new CoordinatorError("REMOTE_UNREACHABLE", `The git remote cannot be read. ${message}`);

it.each([
  ["a remote that it cannot reach", away()],
  ["a remote that refuses it", new CoordinatorError("REMOTE_REFUSED", "no")],
  [
    "a full disk, below another error",
    new Error("no workspace", { cause: Object.assign(new Error("write"), { code: "ENOSPC" }) }),
  ],
  ["a full disk in the words of git", new Error("fatal: write error: No space left on device")],
])("%s is trouble of the machine", (_, error) => {
  expect(isOfMachine(error)).toBe(true);
});

it("an attempt that could not begin for want of room does not count as failed work, and one that failed does", () => {
  const full = new CoordinatorError("WORKSPACE_FAILED", "only 0 MB are free", { retryable: false });
  expect(whyNotBegun(notReady(full))).toContain("only 0 MB are free");
  expect(whyNotBegun(notReady(Object.assign(new Error("write"), { code: "ENOSPC" })))).toContain("write");
  expect(whyNotBegun(notReady(new Error("fork failed")))).toBeNull();
  expect(whyNotBegun({ kind: "environment", message: "the setup failed", log_ref: "r" })).toBeNull();
});

it("an error of the work is none", () => {
  expect(isOfMachine(new CoordinatorError("WORKSPACE_FAILED", "the setup failed"))).toBe(false);
});

it("the work of an agent is kept for longer than work that was not begun, and a full disk is waited for only then", () => {
  expect([givesBack("before")(away(), 120_000), givesBack("after")(away(), 120_000)]).toEqual([true, false]);
  expect(givesBack("after")(away(), 3_600_000)).toBe(true);
  const full = away("remote: error: No space left on device");
  expect([givesBack("before")(full, 0), givesBack("after")(full, 0)]).toEqual([true, false]);
});

/** Let the time pass until it has ended. */
async function ended<T>(act: Promise<T>): Promise<{ readonly error: unknown }> {
  const ends: { readonly error: unknown }[] = [];
  act.then(
    () => ends.push({ error: null }),
    (error: unknown) => ends.push({ error }),
  );
  for (let n = 0; n < 2_000; n++) {
    const [end] = ends;
    if (end !== undefined) return end;
    await vi.advanceTimersByTimeAsync(5_000);
  }
  throw new Error("it waits for ever");
}

it.each(["attempt", "proof"] as const)(
  "a worker gives the work of an %s back when its remote stays away",
  async (kind) => {
    const remote = { name: "r", list: () => Promise.reject(away()), fetch: () => Promise.reject(away()) };
    const git = { call: () => Promise.resolve({ code: 1 }) };
    const parts = {
      place: { quarantine: { git, gitDir: "" }, remote },
      told: () => undefined,
    } as unknown as PerformParts;
    const order = { name: { runId: "run_1", taskId: "one", attemptId: "1" }, base: "a" };
    const work = {
      kind,
      order,
      run_id: "run_1",
      attempt: 1,
      task: { task_id: "one" },
      result: { base: "a", commit: null },
      pristine: "b",
    };
    const options = { key: "k", signal: new AbortController().signal, onNote: () => undefined };
    const { error } = await ended(perform(work as unknown as Work, parts, options));
    expect(error).toMatchObject({ code: "REMOTE_UNREACHABLE" });
  },
);

it("who carries out a run waits for the remote for as long as it takes", async () => {
  let n = 0;
  const told: string[] = [];
  const act = () => (n++ < 500 ? Promise.reject(away()) : Promise.resolve("there"));
  const waiting = patiently(act, new AbortController().signal, (message) => void told.push(message));
  expect(await ended(waiting)).toEqual({ error: null });
  expect(told).toHaveLength(500);
});
