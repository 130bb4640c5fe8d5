import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../model/event.js";
import { canonicalJson } from "../../../foundation/canonical-json/canonical.js";
import { eventText } from "./event-text.js";

const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme", maxLength: 100 }),
  fc.constantFrom('"', "\\", "\n", "é"),
);
const amounts = fc.record({
  tokens: number,
  cost_usd: number,
  minutes: number,
  files: number,
  commits: number,
  api_calls: number,
});
const outcome = fc.oneof(
  fc.record({ kind: fc.constant("completed"), output_ref: text }),
  fc.record({ message: text, kind: fc.constant("structural"), error: text }),
);
const usage = fc.record(
  { source: fc.constantFrom("reported", "estimated"), amounts, counted: fc.constant(["files"]) },
  { requiredKeys: ["source", "amounts"] },
);
const attempt = { task_id: text, attempt: number };
const event = fc.oneof(
  fc.record({ type: fc.constant("attempt_started"), ...attempt, agent: text, reserved: amounts }),
  fc.record({ type: fc.constant("attempt_finished"), ...attempt, outcome, usage }),
  fc.record({ type: fc.constant("verification_finished"), ...attempt, verdict: text, evidence: text }),
  fc.record({ type: fc.constant("integration_finished"), ...attempt, integrated: fc.boolean(), ref: text }),
  fc.record({ type: fc.constant("review_finished"), ...attempt, accepted: fc.boolean(), summary: text }),
  fc.record({ type: fc.constant("dispatch_paused"), reason: text }),
) as unknown as fc.Arbitrary<RunEvent>;

describe("the text of an event", () => {
  it("is its canonical JSON, whatever it says", () => {
    fc.assert(
      fc.property(event, (each) => {
        expect(eventText(each)).toBe(canonicalJson(each));
      }),
    );
  });

  it("is its canonical JSON when a key is too many, missing or without a value, at any level", () => {
    const key = fc.constantFrom("note", "evidence", "agent", "tokens", "source", "attempt");
    fc.assert(
      fc.property(event, key, fc.constantFrom("add", "remove", "empty"), fc.boolean(), (each, name, how, inside) => {
        const changed = structuredClone(each) as Record<string, unknown>;
        const whole = inside && typeof changed["reserved"] === "object" ? changed["reserved"] : changed;
        const place = whole as Record<string, unknown>;
        if (how === "add") place[name] = "x";
        else if (how === "empty") place[name] = undefined;
        else delete place[name];
        expect(outcomeOf(() => eventText(changed as RunEvent))).toEqual(outcomeOf(() => canonicalJson(changed)));
      }),
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, "\ud800"])("refuses what has no canonical form: %s", (value) => {
    const each = { type: "review_finished", task_id: "t", attempt: 1, accepted: true, summary: value };
    expect(() => eventText(each as RunEvent)).toThrow(TypeError);
  });
});

function outcomeOf(act: () => string): string {
  try {
    return act();
  } catch (error) {
    return (error as Error).name;
  }
}
