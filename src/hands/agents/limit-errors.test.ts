import { expect, it } from "vitest";
import { limitInOutput } from "./limit-errors.js";

const clocks = { wall: () => 0, run: () => 0 };
const errorIn = (output: string) => limitInOutput(output, clocks)?.error ?? null;

it("knows the words in which agents end a turn when their provider limits them, each seen in a run of that agent", () => {
  const goose = "Ran into this error: Rate limit exceeded: 429 rate limit reached.";
  expect(errorIn(`${goose}\n\nPlease retry if you think this is a transient or recoverable error.`)).toBe("rate_limit");
  expect(errorIn("Warning: something else.\n\nexceeded retry limit, last status: 429 Too Many Requests")).toBe(
    "rate_limit",
  );
  expect(errorIn("Claude AI usage limit reached|1767225600")).toBe("usage_limit");
});

it("takes no work for a limit because it speaks of one", () => {
  for (const said of [
    "Ran into this error: the file is not there.",
    "I added the rate limit: after 429 the client waits.",
    "The test prints: exceeded retry limit, last status: 429 Too Many Requests\nand passes now.\nTASK_COMPLETE",
    "Ran into this error: Rate limit exceeded\nso I wrote a retry. All tests pass.",
  ])
    expect([said, errorIn(said)]).toEqual([said, null]);
});
