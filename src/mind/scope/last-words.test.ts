import { describe, expect, it } from "vitest";
import { saysUnfinished } from "./last-words.js";

describe("last words that say the work is not done", () => {
  it.each([
    "I could not edit src/click/_termui_impl.py, so the bug is NOT fixed.",
    "The bug is NOT fixed.",
    "I added a comment, but the bug is not fixed yet.",
    "I was unable to change the parser because it is outside of my scope.",
    "Unable to edit `package.json`: permission refused.",
    "Could not modify src/app.ts (refused).",
    "Not done: the file is read-only for me.",
    "Status: blocked. I need write access to docs/.",
    "I'm blocked on the missing permission.",
    "Unfortunately, I cannot complete this task with the current permissions.",
    "The work remains incomplete.",
    "The task is therefore not finished.",
    "I did the first half. The feature is not implemented on the server side.",
    "I have not implemented the export.",
    "I wasn't allowed to install the package, so I stopped.",
    "- The fix was not applied.\n- Tests are unchanged.",
    "Summary:\n\n**The change is not complete.** See above.",
    "I couldn’t fix it.",
    "I did not finish the migration.",
  ])("%s", (words) => {
    expect(saysUnfinished(words)).not.toBeNull();
  });

  it("are quoted by the sentence that says it", () => {
    expect(saysUnfinished("I looked around. I could not edit a.py, so the bug is NOT fixed. Sorry.")).toBe(
      "I could not edit a.py, so the bug is NOT fixed.",
    );
    expect(saysUnfinished(`I could not edit ${"x".repeat(900)}.`)?.length).toBe(300);
  });
});

describe("last words that say no such thing", () => {
  it.each([
    "",
    "Done.",
    "The fix not only removes the crash, it also adds a test.",
    "I could not reproduce the failure before; it is now fixed.",
    "I could not reproduce it at first, so I added a test that fails.",
    "I could not edit it in place, so I rewrote the function. All tests pass.",
    "I could not patch the file in one go. I rewrote it and everything passes.",
    "Users could not log in when the password was empty. Fixed.",
    "It returns an error if the upload is not complete.",
    "The function raised when the job was not finished; now it waits.",
    "Added a test for the case where the work is incomplete.",
    "The request was not implemented before; it is done now.",
    "I could not find any other callers.",
    "I could not run the tests in the browser, but the unit tests pass.",
    "I cannot think of further cases.",
    "The parser cannot handle nested quotes, which was the bug. It does now.",
    "No task is left; nothing is blocked.",
    "Threads that are blocked are woken up now.",
    "`isDone` is false while the task is not done.",
    "```\nerror: could not edit file\n```\nThat error is gone.",
    "TypeScript can't make this narrower.",
    "Nothing remains unfinished.",
    "I did not change the public interface.",
    "I did not add a dependency.",
    "The old code could not do that. The new one can.",
  ])("%s", (words) => {
    expect(saysUnfinished(words)).toBeNull();
  });

  it("however long they are", () => {
    const begun = performance.now();
    saysUnfinished("I could not ".repeat(100_000));
    saysUnfinished(`the ${"a ".repeat(100_000)}`);
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});
