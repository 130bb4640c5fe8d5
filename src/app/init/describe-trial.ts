import type { ChecksTrial, TriedCheck, TriedSetup } from "../../hands/checks/on-trees/try-checks.js";
import type { CheckResult } from "../../model/settings/check.js";
import type { TriedLine } from "../setup-reports.js";
import { adviseCheck, type AdviceFacts } from "./advise-check.js";

/* One line for setup and for each check that was tried. Pure. */

export function describeTrial({ setup, checks }: ChecksTrial, facts: AdviceFacts): TriedLine[] {
  const made = setup === null ? [] : [setupLine(setup, facts)];
  // Checks that fail for want of setup are not listed: setup is.
  if (made[0]?.status === "bad") return made;
  return [...made, ...checks.map((tried) => checkLine(tried, facts))];
}

function setupLine({ run, ran, failure, elapsed_ms }: TriedSetup, facts: AdviceFacts): TriedLine {
  const about = { name: "setup", kind: "setup" as const, run, elapsed_ms, passed: 0, failed: 0, skipped: 0 };
  if (failure === null) {
    const detail = ran ? `ok in ${seconds(elapsed_ms)}` : "kept from before";
    return { ...about, status: "good", detail, cause: null, fix: null };
  }
  if (facts.uncommitted.length > 0)
    return { ...about, status: "bad", detail: failure, cause: "setup_failed", fix: adviseCommit(facts.uncommitted) };
  const fill = facts.install ?? facts.fill;
  const install =
    fill === null ? "Run the same command by hand" : `Run ${fill} once outside, so that its cache holds everything`;
  const fix = `${install}, or change workspace.setup in coordinator.yaml; inside there is no network.`;
  return { ...about, status: "bad", detail: failure, cause: "setup_failed", fix };
}

/** Workspaces are made from commits: what is only in the working tree is not there. */
function adviseCommit(paths: readonly string[]): string {
  const [verb, them] = paths.length === 1 ? ["is", "it"] : ["are", "them"];
  return `${paths.join(", ")} ${verb} not in the commit that was tried, and workspaces are made from commits: commit ${them}, then coordinator doctor.`;
}

function checkLine({ check, result, proof, elapsed_ms }: TriedCheck, facts: AdviceFacts): TriedLine {
  const { passed, failed, skipped, cause } = proof;
  const about = { name: check.name, kind: check.kind, run: check.run, elapsed_ms, passed, failed, skipped };
  if (cause !== null)
    return {
      ...about,
      status: "bad",
      detail: cause.message,
      cause: cause.kind,
      fix: adviseCheck(cause, result.output, facts),
    };
  const detail = `${describeFindings(about, result)} in ${seconds(elapsed_ms)}${namesOf(result)}`;
  return { ...about, status: failed > 0 ? "weak" : "good", detail, cause: null, fix: null };
}

function describeFindings(
  { kind, passed, failed, skipped }: Pick<TriedLine, "kind" | "passed" | "failed" | "skipped">,
  result: CheckResult,
): string {
  const left = skipped === 0 ? "" : `, ${count(skipped)} skipped`;
  if (failed > 0)
    return passed > 0 ? `${count(failed)} failed of ${count(passed + failed)}${left}` : `${count(failed)} found`;
  if (passed > 0) return `${count(passed)} passed${left}`;
  return kind === "test" && result.format === "exit_code" ? "ok, tests not counted" : "ok";
}

const MOST_NAMES = 3;

function namesOf({ findings }: CheckResult): string {
  const names = findings.filter(({ status }) => status === "failed").map(({ name }) => name);
  if (names.length === 0) return "";
  const more = names.length > MOST_NAMES ? ` and ${count(names.length - MOST_NAMES)} more` : "";
  return `: ${names.slice(0, MOST_NAMES).join(", ")}${more}`;
}

export function seconds(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

const count = (n: number) => n.toLocaleString("en-US");
