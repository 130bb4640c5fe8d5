import { describe, expect, it } from "vitest";
import { askForPromise, givesPromise, promiseAskedIn, withoutPromise } from "./promise.js";

const PROMISE = "FEATURE_COMPLETE";

describe("a completion promise", () => {
  it.each([
    ["the last line", `Done.\n${PROMISE}`],
    ["set off", `Done.\n\n**${PROMISE}**\n`],
    ["in an element", `<promise>${PROMISE}</promise>`],
    ["in a block of code", `All checks pass.\n\`\`\`text\n${PROMISE}\n\`\`\`\n`],
  ])("is given as %s", (_, output) => {
    expect(givesPromise(output, PROMISE)).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["a part of a sentence", `I cannot say ${PROMISE} yet.`],
    ["a line with more on it", `${PROMISE}, more or less`],
    ["a line before the last", `${PROMISE}\nBut one test still fails.`],
    ["another promise", "BUGFIX_COMPLETE"],
    ["a promise of nothing", "I am not done at all and promise nothing."],
  ])("is not given as %s [S3-034]", (_, output) => {
    expect(givesPromise(output, PROMISE)).toBe(false);
  });

  it("is asked for in words that can be read back", () => {
    expect(promiseAskedIn(`Build it.\n\n${askForPromise(PROMISE)}\n\nAsk if unsure.`)).toBe(PROMISE);
    expect(promiseAskedIn("Build it.")).toBeNull();
  });

  it("is left out of what people read", () => {
    expect(withoutPromise(`It works.\n\n${PROMISE}\n`, PROMISE)).toBe("It works.");
    expect(withoutPromise("It does not work.", PROMISE)).toBe("It does not work.");
  });
});
