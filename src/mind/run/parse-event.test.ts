import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PERSON } from "../../testing/run-fixtures.js";
import { parseRunEvent, parseSignal } from "./parse-event.js";

describe("an event from outside", () => {
  it("is taken when it is one, with what is left out filled in", () => {
    const event = { type: "plan_approved", decider: PERSON };
    expect(parseRunEvent(event)).toEqual({ ok: true, event });
    expect(
      parseSignal({
        type: "scope_widened",
        task_id: "A",
        request_id: "scope_A#1",
        addition: { write: ["a"] },
        decider: PERSON,
      }),
    ).toMatchObject({ ok: true, event: { addition: { commands: [], write: ["a"], network: [] } } });
  });

  it("is refused with every problem and its place when it is none", () => {
    expect(parseRunEvent({ type: "run_cancelled", decider: { by: "", how: "whim" }, more: 1 })).toEqual({
      ok: false,
      problems: [
        expect.objectContaining({ path: "decider.by" }),
        expect.objectContaining({ path: "decider.how" }),
        expect.objectContaining({ path: "reason" }),
        expect.objectContaining({ path: "more", message: "is not a field of this document" }),
      ],
    });
    expect(parseRunEvent({ type: "no_such" })).toMatchObject({ ok: false, problems: [{ path: "type" }] });
  });

  it("never throws, whatever it is", () => {
    fc.assert(fc.property(fc.anything(), (value) => !parseRunEvent(value).ok));
    const throwing = {
      get type(): string {
        throw new Error("no");
      },
    };
    expect(parseRunEvent(throwing)).toMatchObject({ ok: false, problems: [{ message: "cannot be read" }] });
  });

  it("is refused as a signal when only the program may say it", () => {
    const finished = { type: "run_finished", status: "completed", reason: "because I say so" };
    expect(parseRunEvent(finished).ok).toBe(true);
    expect(parseSignal(finished)).toMatchObject({
      ok: false,
      problems: [{ path: "type", message: "run_finished is not for people to say" }],
    });
  });
});
