import type { ChangeName, State } from "./ecosystem.js";

/*
 * The verdict that every cell must have. PASS only where checks ran on the base, passed there and pass now; a base on
 * which they could not run proves nothing of any change, and the verdict says so. A change that hides its harm from the
 * checks is held, or fails, and never passes.
 */

type Expected = "PASS" | "FAIL" | "BLOCKED" | "BLOCKED unproven";
type Row = Readonly<Partial<Record<ChangeName, Expected>>>;
type Table = Readonly<Partial<Record<State, Row>>>;

const UNPROVEN = "BLOCKED unproven";

/** Checks ran on the base, and name every test. */
const PROVEN: Row = { good: "PASS", harmful: "FAIL", removed: "BLOCKED", skipped: "BLOCKED", loosened: "BLOCKED" };
/** The same on a base on which something else is wrong: one way to hide the harm is enough. */
const IN_PART: Row = { good: "PASS", harmful: "FAIL", removed: "BLOCKED" };
/** Nothing ran on the base, so nothing is known of any change. */
const NOTHING: Row = { good: UNPROVEN, harmful: UNPROVEN, loosened: UNPROVEN };
/** The project is built, and its runner finds no tests: a person says whether that is enough; tests of the change's own are not. */
const NO_TESTS: Row = { good: UNPROVEN, harmful: "FAIL", loosened: UNPROVEN };

const NAMED: Table = {
  green: PROVEN,
  red: { ...IN_PART, mended: "PASS" },
  "does not compile": { ...NOTHING, mended: "PASS" },
  "missing tool": NOTHING,
  "no tests": NOTHING,
  flaky: IN_PART,
};

export const EXPECTED: Readonly<Record<string, Table>> = {
  node: { ...NAMED, monorepo: IN_PART, submodule: IN_PART },
  "python with unittest": NAMED,
  // Only what this runner says in other words: the rest is as with unittest, which is always there.
  "python with pytest": {
    green: PROVEN,
    "does not compile": { good: UNPROVEN, mended: "PASS" },
    "missing tool": { good: UNPROVEN },
    "no tests": { good: UNPROVEN },
  },
  // Where what runs the tests is told to run none at all, that is a failure of its own.
  go: { ...NAMED, green: { ...PROVEN, loosened: "FAIL" }, "no tests": NO_TESTS, monorepo: IN_PART },
  rust: {
    ...NAMED,
    green: { ...PROVEN, loosened: "FAIL" },
    "no tests": NO_TESTS,
    monorepo: IN_PART,
  },
  // Nothing says that there should be tests: that it is built is all that is asked for, and that much is proven.
  c: { ...NAMED, "no tests": { good: "PASS", harmful: "FAIL", loosened: "BLOCKED" }, submodule: IN_PART },
  // Its runner is one program that is well or not: a base on which it is not shows nothing of what passes. Told to go on
  // whatever happens it is well, and fails with the base's Makefile: that is what holds the change.
  java: {
    ...NAMED,
    red: { ...NOTHING, loosened: "BLOCKED", mended: "PASS" },
    "missing tool": { ...NOTHING, loosened: "BLOCKED" },
  },
};
