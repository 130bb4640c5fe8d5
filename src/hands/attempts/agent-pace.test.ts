import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { agentPace } from "./agent-pace.js";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "coordinator-pace-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const NEVER = new AbortController().signal;

it("lets an agent begin so often in a minute, over all who ask, and no other agent wait for it", async () => {
  const at = folder();
  let now = 1_000_000;
  const [one, other] = [agentPace(at, () => now), agentPace(at, () => now)];
  const start = { agent: "claude", perMinute: 2 };
  let waited = 0;
  const waits = () => void waited++;
  await one.take(start, NEVER, waits);
  await other.take(start, NEVER, waits);
  expect(waited).toBe(0);
  let begun = false;
  const third = one.take(start, NEVER, waits).then(() => (begun = true));
  await other.take({ agent: "codex", perMinute: 1 }, NEVER, () => expect.fail("codex has not begun yet"));
  await expect.poll(() => waited).toBe(1);
  expect(begun).toBe(false);
  now += 60_000;
  await third;
  expect(waited).toBe(1);
});

it("counts nothing for one that is told to stop, and takes a file that cannot be read for an empty one", async () => {
  const at = folder();
  const pace = agentPace(at, () => 1);
  const start = { agent: "claude", perMinute: 1 };
  await pace.take(start, AbortSignal.abort(), () => expect.fail("it does not wait"));
  await pace.take(start, NEVER, () => expect.fail("nothing was counted"));
  writeFileSync(join(at, "starts.json"), "{");
  await pace.take(start, NEVER, () => expect.fail("what cannot be read counts for nothing"));
});
