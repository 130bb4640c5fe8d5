import type { RunCriterion } from "../../model/run.js";

/*
 * Demands of a project's type on a run beside its tasks: accessibility of a frontend, an evaluation of a model. Each is
 * shown by a check of the project, or a person confirms or waives it before the run can end well.
 */

/** Held by every run: requirements are proven on the tree that all tasks made, tests by every verdict. */
const HELD_ANYWAY: ReadonlySet<string> = new Set(["requirements", "tests"]);

/** By which name of a check a criterion is taken to be shown, where the settings name none. */
const USUAL_NAMES: Readonly<Record<string, RegExp>> = {
  accessibility: /a11y|accessib|\baxe\b|lighthouse/i,
  security_review: /secur|\baudit\b|semgrep|codeql|snyk|trivy|bandit|gosec/i,
  data_review: /data[-_ ]?(?:quality|review|check|valid)|great[-_ ]?expectations|\bdbt\b/i,
  evaluation: /\beval(?:uat\w*|s)?\b/i,
  device_check: /device|emulator|simulator|detox|maestro|appium/i,
  plan_review: /terraform[-_ ]?plan|checkov|tflint/i,
  playtest: /play[-_ ]?test/i,
};

/** Contract: pure. `shownBy` is what the settings say; a name of a check that is not there shows nothing. */
export function criteriaOfType(
  gates: readonly string[],
  shownBy: Readonly<Record<string, string>>,
  checks: readonly string[],
): RunCriterion[] {
  return [...new Set(gates)]
    .filter((criterion) => !HELD_ANYWAY.has(criterion))
    .map((criterion) => {
      const named = Object.hasOwn(shownBy, criterion) ? shownBy[criterion] : undefined;
      const usual = Object.hasOwn(USUAL_NAMES, criterion) ? USUAL_NAMES[criterion] : undefined;
      const check = named ?? checks.find((name) => usual?.test(name) === true);
      return { criterion, check: check !== undefined && checks.includes(check) ? check : null };
    });
}
