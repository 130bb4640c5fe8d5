import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../model/event.js";
import { createRecordsNamed } from "./verify-records.js";

const ref = (letter: string) => `sha256:${letter.repeat(64)}`;
const verdict = (attempt: number, evidence: string): RunEvent => ({
  type: "verification_finished",
  task_id: "T",
  attempt,
  verdict: "PASS",
  evidence,
});
const resolved = (round: number, at: string): RunEvent => ({
  type: "conflict_resolved",
  task_id: "T",
  attempt: 1,
  round,
  tree: "t",
  ref: at,
});

function named(...events: readonly RunEvent[]) {
  const records = createRecordsNamed();
  for (const [i, event] of events.entries()) records.take({ sequence: i + 1, event });
  return records;
}

describe("the records a log names by their checksums", () => {
  it("are compared one by one: what was changed and what is missing is named with its event", async () => {
    const log = named(
      verdict(1, `all checks pass [${ref("a")}]`),
      verdict(2, `all checks pass (one slow) [${ref("b")}]`),
      verdict(3, "the attempt's record is gone"),
    );
    const now = new Map([["verdict T#1", ref("f")]]);
    const { named: count, findings } = await log.compare(async (name) => now.get(name) ?? null);
    expect(count).toBe(2);
    expect(findings).toEqual([
      {
        kind: "evidence",
        sequence: 1,
        message: `The record "verdict T#1", ${ref("a")}, is not what it was: it is ${ref("f")} now`,
      },
      { kind: "evidence", sequence: 2, message: `The record "verdict T#2", ${ref("b")}, is missing` },
    ]);
  });

  it("count as they were written last, and not at all where only the log is there", async () => {
    const log = named(resolved(1, ref("a")), resolved(2, ref("b")));
    expect(await log.compare(async () => ref("b"))).toEqual({ named: 1, findings: [] });
    expect(await log.compare(null)).toEqual({ named: 1, findings: null });
  });

  it("are none where an event was taken out of the log", async () => {
    const redacted = { type: "brief_kept", redacted: true } as unknown as RunEvent;
    expect(await named(redacted).compare(async () => null)).toEqual({ named: 0, findings: [] });
  });
});
