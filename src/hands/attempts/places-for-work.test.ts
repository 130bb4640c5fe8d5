import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ownIdentity } from "../../foundation/processes/process-identity.js";
import { placesForWork } from "./places-for-work.js";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "coordinator-places-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const places = (at: string) => readdirSync(at).filter((name) => name.endsWith(".json"));
const notWaiting = () => expect.fail("there is a place");
const NEVER = new AbortController().signal;

it("never gives more places than there are, and gives one that was freed to who waits", async () => {
  const at = folder();
  // Two of them, as two processes have them.
  const [one, other] = [placesForWork(at, 2), placesForWork(at, 2)];
  const held = [await one.take(NEVER, notWaiting), await other.take(NEVER, notWaiting)];
  let waits = 0;
  const third = other.take(NEVER, () => waits++);
  const fourth = one.take(NEVER, () => waits++);
  await expect.poll(() => waits).toBe(2);
  expect(places(at)).toHaveLength(2);
  await held[0]?.();
  const next = await Promise.race([third, fourth]);
  expect(places(at)).toHaveLength(2);
  await next?.();
  await held[1]?.();
  for (const free of await Promise.all([third, fourth])) await free?.();
  expect(places(at)).toEqual([]);
});

it("counts no place of a process that has ended, nor a file that names none", async () => {
  const at = folder();
  writeFileSync(join(at, "dead.json"), JSON.stringify({ ...ownIdentity(), start_time: "1" }));
  writeFileSync(join(at, "odd.json"), "{");
  const free = await placesForWork(at, 1).take(NEVER, notWaiting);
  expect(places(at)).toHaveLength(1);
  await free?.();
});

it("stops waiting when it is told to", async () => {
  const at = folder();
  const all = placesForWork(at, 1);
  await all.take(NEVER, notWaiting);
  const stop = new AbortController();
  const waiting = all.take(stop.signal, () => stop.abort());
  expect(await waiting).toBeNull();
  expect(places(at)).toHaveLength(1);
});

it("gives work that goes on its place at once, and counts it", async () => {
  const at = folder();
  const all = placesForWork(at, 1);
  const held = await all.take(NEVER, notWaiting);
  const adopted = await all.take(NEVER, notWaiting, true);
  expect(places(at)).toHaveLength(2);
  await held?.();
  let waits = 0;
  const next = all.take(NEVER, () => waits++);
  await expect.poll(() => waits).toBe(1);
  await adopted?.();
  await (
    await next
  )?.();
});
