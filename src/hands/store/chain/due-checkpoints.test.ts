import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../model/event.js";
import type { EventReader, NewEvent } from "../event-store.js";
import { createMemoryStore } from "../memory-store.js";
import { sha256 } from "../sha256.js";
import { loadSigningKey } from "./signing-key.js";
import { verifyRun } from "./verify-run.js";

const folder = mkdtempSync(join(tmpdir(), "coordinator-due-"));
const signer = loadSigningKey(folder);
rmSync(folder, { recursive: true });

const RUN = "run_of_a_test";
const at = "2026-02-03T04:05:06.000Z";
const verified = (reader: EventReader) => verifyRun(reader, RUN, { sha256, publicKeyPems: [signer.publicKeyPem] });

const event = fc.constantFrom<RunEvent>(
  { type: "dispatch_paused", reason: "x" },
  { type: "wait_ended", effect_id: "e" },
  { type: "run_finished", status: "completed", reason: "" },
  { type: "approval_given", action: "a", clause: "c", decider: { by: "ada", how: "person" } },
);
const appends = fc.array(
  fc.record({ pause: fc.integer({ min: 0, max: 9000 }), events: fc.array(event, { minLength: 1, maxLength: 60 }) }),
  { minLength: 1, maxLength: 12 },
);

describe("checkpoints that are due", () => {
  it("are there in every log as a store leaves it, whatever append a process was killed after", async () => {
    await fc.assert(
      fc.asyncProperty(appends, async (all) => {
        const store = createMemoryStore({ sha256, signer });
        let clock_ms = 0;
        let sequence = 0;
        for (const { pause, events } of all) {
          clock_ms += pause;
          const made: NewEvent[] = events.map((each) => ({ event: each, at, clock_ms }));
          await store.append(RUN, sequence, made);
          sequence += made.length;
          expect((await verified(store)).findings).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("are missed where one is gone, whichever that is", async () => {
    await fc.assert(
      fc.asyncProperty(appends, fc.nat(), async (all, which) => {
        const store = createMemoryStore({ sha256, signer });
        let clock_ms = 0;
        let sequence = 0;
        for (const { pause, events } of all) {
          clock_ms += pause;
          await store.append(
            RUN,
            sequence,
            events.map((each) => ({ event: each, at, clock_ms })),
          );
          sequence += events.length;
        }
        const notes = await store.list(RUN, "checkpoint/");
        fc.pre(notes.length > 0);
        const left = notes.filter((_, i) => i !== which % notes.length);
        expect((await verified({ ...store, list: async () => left })).intact).toBe(false);
        expect((await verified({ ...store, list: async () => [] })).intact).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it("are not missed of what is appended while the log is verified", async () => {
    const store = createMemoryStore({ sha256, signer });
    const end: RunEvent = { type: "run_finished", status: "completed", reason: "" };
    await store.append(RUN, 0, [{ event: { type: "dispatch_paused", reason: "x" }, at, clock_ms: 0 }]);
    let looks = 0;
    const busy: EventReader = {
      ...store,
      head: async (runId) => {
        const head = await store.head(runId);
        if (looks++ === 0) await store.append(RUN, 1, [{ event: end, at, clock_ms: 9000 }]);
        return head;
      },
    };
    expect(await verified(busy)).toMatchObject({ findings: [], events: 1 });
    expect(await verified(store)).toMatchObject({ findings: [], events: 2 });
  });
});
