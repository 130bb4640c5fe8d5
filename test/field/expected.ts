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
/** There are no tests, but the project is built. */
const ONLY_BUILT: Row = { good: UNPROVEN, harmful: "FAIL", loosened: UNPROVEN };

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
  "python with pytest": NAMED,
  go: { ...NAMED, "no tests": ONLY_BUILT, monorepo: IN_PART },
  rust: { ...NAMED, "no tests": ONLY_BUILT, monorepo: IN_PART },
  c: { ...NAMED, "no tests": ONLY_BUILT, submodule: IN_PART },
  // Its runner is one program that is well or not: a base on which it is not shows nothing of what passes.
  java: { ...NAMED, red: { ...NOTHING, mended: "PASS" } },
};
