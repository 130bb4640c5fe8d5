import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../model/event.js";
import { NEW_RUN } from "../../mind/run/state.js";
import { step } from "../../mind/run/transition.js";
import { loadSigningKey } from "../../hands/store/chain/signing-key.js";
import { createMemoryStore } from "../../hands/store/memory-store.js";
import { sha256 } from "../../hands/store/sha256.js";
import { opening, planRef, runTask } from "../../testing/run-fixtures.js";
import { keyOfPem, type PublicKey } from "../project/open-runs.js";
import { verifyLog } from "./verify-log.js";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const spec = {
  id: "IS-export",
  checksum: "a".repeat(64),
  requirements: [
    { id: "REQ-1", priority: "must_have" as const },
    { id: "REQ-2", priority: "should_have" as const },
  ],
};
const brief: RunEvent = { type: "brief_kept", brief: { ref: "sha256:brief", spec, documents: [] } };
const task_id = "T1";
const DONE: readonly RunEvent[] = [
  {
    type: "attempt_finished",
    task_id,
    attempt: 1,
    outcome: { kind: "completed", output_ref: "r" },
    usage: { amounts: runTask(task_id).estimate, source: "reported" },
  },
  { type: "verification_finished", task_id, attempt: 1, verdict: "PASS", evidence: "" },
  { type: "integration_finished", task_id, attempt: 1, integrated: true, ref: "r" },
  { type: "review_finished", task_id, attempt: 1, accepted: true, summary: "" },
];
const judged = (second: boolean): RunEvent => ({
  type: "requirements_judged",
  round: 1,
  commit: "3f2a".repeat(10),
  tree: "t",
  results: [
    { id: "REQ-1", holds: true, evidence: "the test passes" },
    { id: "REQ-2", holds: second, evidence: "src/csv.ts" },
  ],
  ref: "sha256:proof",
});

async function verified(...events: readonly RunEvent[]) {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-requirements-"));
  const signer = loadSigningKey(folder);
  rmSync(folder, { recursive: true });
  const store = createMemoryStore({ sha256, signer });
  let state = NEW_RUN;
  let sequence = 0;
  for (const event of [...opening(planRef([runTask(task_id)]), { plan_needs_approval: false }), ...events]) {
    const taken = step(state, event, 0);
    state = taken.state;
    const at = "2026-02-03T04:05:06.000Z";
    await store.append(
      "run_spec",
      sequence,
      taken.events.map((each) => ({ event: each, at, clock_ms: 0 })),
    );
    sequence += taken.events.length;
  }
  return verifyLog(store, "run_spec", { given: [keyOfPem(signer.publicKeyPem) as PublicKey], anchors: [] });
}

describe("the requirements of a run that is verified", () => {
  const lineOf = ({ checks }: Awaited<ReturnType<typeof verified>>) =>
    checks.find(({ name }) => name === "requirements");

  it("have a line of their own: which are proven, on what, and the record of what was seen", async () => {
    const all = await verified(brief, ...DONE, judged(true));
    expect(lineOf(all)).toEqual({
      name: "requirements",
      passed: true,
      detail: "2 of 2 of IS-export proven: REQ-1, REQ-2; on 3f2a3f2a3f2a, seen in sha256:proof",
    });
    expect(all.requirements).toMatchObject({ evidence: "sha256:proof", results: [{ proven: true }, { proven: true }] });
  });

  it("that are not proven are named, and say nothing against the log", async () => {
    const some = await verified(brief, ...DONE, judged(false));
    expect(some.passed).toBe(true);
    expect(lineOf(some)).toMatchObject({
      passed: null,
      detail: /1 of 2 .*not proven: REQ-2 \(does not hold, should have\)/,
    });
    const early = await verified(brief);
    expect(lineOf(early)).toMatchObject({
      passed: null,
      detail: /not proven: REQ-1 \(not evaluated\).*nobody has looked/,
    });
  });

  it("are not spoken of where there are none", async () => {
    const none = await verified(...DONE);
    expect([lineOf(none), none.requirements]).toEqual([undefined, null]);
  });
});
