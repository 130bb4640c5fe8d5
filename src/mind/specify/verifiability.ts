import type { Check } from "../../model/settings/check.js";
import type { IntentSpec, Verification } from "../../model/intent-spec.js";
import { unsafePath } from "../../model/plan/registry.js";
import { words } from "../../foundation/text/words.js";
import type { SpecFinding, SpecGrounds } from "./finding.js";

/** Every requirement can be found out here, by a program, and the finding out can fail. */
export function verifiability(spec: IntentSpec, { checks }: SpecGrounds): SpecFinding[] {
  return spec.requirements.flatMap(({ id, verification }, i) =>
    [...problems(verification, checks)].map(([rule_id, field, message, fix]) => ({
      rule_id,
      path: `requirements[${i}].verification.${field}`,
      message: `${id}: ${message}`,
      fix,
    })),
  );
}

type Problem = readonly [rule_id: string, field: string, message: string, fix: string];

function* problems(verification: Verification, checks: readonly Check[]): Iterable<Problem> {
  switch (verification.kind) {
    case "command": {
      if (isTrivial(verification.run))
        yield ["spec_command_trivial", "run", "the command ends the same way whatever was done", COMMAND];
      return;
    }
    case "check": {
      if (!checks.some(({ name }) => name === verification.name))
        yield ["spec_check_unknown", "name", `there is no check ${verification.name} here`, listChecks(checks)];
      return;
    }
    case "test": {
      const { name, check } = verification;
      const named = checks.find((each) => each.name === check);
      if (check !== undefined && named === undefined)
        yield ["spec_check_unknown", "check", `there is no check ${check} here`, listChecks(checks)];
      else if (named === undefined ? !checks.some(runsTests) : !runsTests(named))
        yield [
          "spec_no_tests_here",
          check === undefined ? "name" : "check",
          "no check here runs tests",
          "Name a check of kind test, or verify it by a command or a file.",
        ];
      if (!isPlausible(name))
        yield [
          "spec_test_name_vague",
          "name",
          `no single test is identified by the name ${JSON.stringify(name)}`,
          "Give the name of the test as it will stand in the report, or a telling part of it.",
        ];
      return;
    }
    case "file_exists":
    case "file_contains": {
      const unsafe = unsafePath(verification.path);
      if (unsafe !== null) yield ["spec_path_outside", "path", `${verification.path}: ${unsafe}`, PATH];
      else if (verification.kind === "file_exists" && verification.exists && /^[*/]+$/.test(verification.path))
        yield ["spec_path_trivial", "path", "some file is always there", PATH];
      if (verification.kind === "file_contains" && verification.text.trim() === "")
        yield ["spec_text_blank", "text", "blanks are in every file", "Name a text that only the result holds."];
    }
  }
}

const COMMAND = "Name a command that fails as long as the requirement does not hold.";
const PATH = "Name a path or pattern inside the repository that the requirement is about.";

const runsTests = ({ kind }: Check) => kind === "test";

function listChecks(checks: readonly Check[]): string {
  const names = checks.map(({ name }) => name);
  return names.length === 0
    ? "There are no checks here: verify it by a command or a file."
    : `Use one of ${names.join(", ")}.`;
}

const NOTHING = /^(?::|true|false|exit(?:\s+\d+)?|sleep\s+\S+|(?:\/\S*\/)?(?:true|false)|(?:echo|printf)(?:\s.*)?)$/;

/** A command line whose last word on success is always the same: nothing but `true`, `exit 0`, `echo`, or `… || true`. */
function isTrivial(run: string): boolean {
  const parts = run
    .split(/\n|;|&&|\|\||\|/)
    .map((part) => part.trim())
    .filter((part) => part !== "" && !part.startsWith("#"));
  if (parts.every((part) => NOTHING.test(part))) return true;
  const [, last = ""] = /(?:\|\||;|\n)\s*([^\n;|&]*?)\s*;?\s*$/.exec(run) ?? [];
  return NOTHING.test(last.trim()) && !/^(?:exit\s+[1-9]\d*|false)$/.test(last.trim());
}

const PLACEHOLDER = /\btodo\b|\btbd\b|\.\.\.|…|<[^>]*>|\bxxx\b/i;
const VAGUE = new Set(["test", "tests", "it", "works", "should", "work", "pass", "passes", "all", "the", "ok", "unit"]);

function isPlausible(name: string): boolean {
  if (/[\n\r]/.test(name) || PLACEHOLDER.test(name)) return false;
  return words(name).some(({ lower }) => lower.length >= 3 && !VAGUE.has(lower));
}
