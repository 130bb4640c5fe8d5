import { describe, expect, it } from "vitest";
import { openHostile, PEOPLE } from "./hostile.js";

/* A clone that would spend what is the person's: their approval, their money, and the limits they set for themselves. */

const ASKED = "Document the function one() of src/index.js in README.md";
const checks = [{ name: "ok", run: "true" }];

describe.each(PEOPLE)("as $name, a clone that says its plans need no approval", (who) => {
  it("has none of them carried out: the plan waits, and trust says what was asked for", async () => {
    const settings = { run: { plan_needs_approval: false }, checks };
    const opened = openHostile({ files: { "coordinator.yaml": JSON.stringify(settings) } }, who);
    const ran = await opened.run("run", ASKED);
    expect(ran.output).not.toMatch(/attempt 1 started|approved by policy/);
    expect({ code: ran.code, output: ran.output }).toMatchObject({ code: 3, output: expect.stringMatching(/approve/) });
    const trust = await opened.run("trust", "--show");
    expect(trust.output).toMatch(/~ waits for you +has its plans carried out without asking you for approval/);
  });

  it("is believed when the person's own settings say the same", async () => {
    const settings = { run: { plan_needs_approval: false }, checks };
    const own = { run: { plan_needs_approval: false } };
    const opened = openHostile({ files: { "coordinator.yaml": JSON.stringify(settings) }, settings: own }, who);
    expect((await opened.run("run", ASKED)).output).toMatch(/attempt 1 started/);
  });
});
