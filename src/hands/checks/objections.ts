import type { AcceptedObjection, CheckResult, ProvenBy } from "../../model/settings/check.js";
import type { Objection } from "../../model/run.js";
import { causeText, proofOf, type Proof } from "./proof.js";
import { isUncollected } from "./uncollected.js";

/* Proofs of a result, objections to it, and objections that people have waived. */

/** A check on both sides: on the base, where it was run there, and on the result. */
export interface CheckPair {
  readonly before: CheckResult | null;
  readonly result: CheckResult;
  /** The second run of the check on the result, where something failed. */
  readonly second: CheckResult | null;
  /** How much of what fails on the result failed on the base too. */
  readonly failed_before: number;
}

/** The objection to a change that no check says anything about. */
const NOTHING: Objection = { kind: "unproven", id: "*", message: "no check proves this change", cause: "nothing" };

/** A check that looks at how code is written says nothing of what it does. */
function isOfStyle({ check, kind, command }: CheckResult): boolean {
  if (kind === "test" || kind === "build" || kind === "types") return false;
  return /^(?:format|formatting|style|prettier|fmt)(?:[:_-]|$)/i.test(check) || FORMATTERS.test(command);
}

const FORMATTERS =
  /^(?:(?:npx|npm exec|pnpm exec|yarn|uv run|poetry run) )?(?:prettier|oxfmt|dprint|black|gofmt|rustfmt|cargo fmt|clang-format|ruff format)\b/;

function onlyStyle(checks: readonly string[]): Objection {
  const message = `only ${checks.join(" and ")} ran, which looks at how code is written and not at what it does`;
  return { kind: "unproven", id: NOTHING.id, message, cause: "style" };
}

/**
 * Which checks prove a change, and an objection for each that does not. A check proves it when it was seen to pass on the
 * base, or passes now: what was broken before and works now is shown by the result itself. Where the base had no tests, only
 * tests of the change itself can run, and a change is not proven by what it brings along.
 */
export function proofsOf(pairs: readonly CheckPair[]): { proven_by: ProvenBy[]; objections: Objection[] } {
  const unready = pairs.flatMap(({ before, result }) => [before?.unready ?? [], result.unready ?? []].flat());
  if (unready[0] !== undefined) return { proven_by: [], objections: [notReady(unready[0])] };
  const proven_by: ProvenBy[] = [];
  const objections: Objection[] = [];
  for (const { before, result, second, failed_before } of pairs) {
    const base = before === null ? null : proofOf(before);
    const now = [result, ...(second === null ? [] : [second])].map(proofOf).find(({ proves }) => proves);
    if (base?.cause?.kind === "no_tests") objections.push(describeUnproven(result.check, base));
    else if (now !== undefined) proven_by.push(describeProof(result, now, failed_before));
    else if (base?.proves !== true) objections.push(describeUnproven(result.check, base ?? proofOf(result)));
  }
  const styles = new Set(pairs.flatMap(({ result }) => (isOfStyle(result) ? [result.check] : [])));
  const byStyle = proven_by.filter(({ check }) => styles.has(check));
  const others = pairs.length - styles.size;
  const unprovenOthers = objections.filter(({ id }) => !styles.has(id)).length;
  if (byStyle.length > 0 && byStyle.length === proven_by.length && unprovenOthers === others)
    return { proven_by: [], objections: [...objections, onlyStyle(byStyle.map(({ check }) => check))] };
  // A check that proved the base and fails now has shown something: that is reported as a failure.
  const isShown = proven_by.length > 0 || objections.length < pairs.length;
  return isShown ? { proven_by, objections } : { proven_by, objections: [...objections, NOTHING] };
}

function describeProof({ check, kind, findings }: CheckResult, { passed }: Proof, failed_before: number): ProvenBy {
  const uncollected = findings
    .filter((each) => each.id.startsWith("test:") && isUncollected(each))
    .map(({ name }) => name);
  return { check, kind, passed, failed_before, uncollected };
}

function describeUnproven(check: string, { cause }: Proof): Objection {
  if (cause === null) return { ...NOTHING, id: check };
  const ran = cause.kind === "failed_whole" || cause.kind === "no_tests" || cause.kind === "timed_out";
  const message = `${check} ${ran ? "proves nothing" : "did not run"} on the base: ${cause.message}`;
  return { kind: "unproven", id: check, message: message.slice(0, 1000), cause: causeText(cause) };
}

function notReady(why: string): Objection {
  const first = (why.split("\n").find((line) => line.trim() !== "") ?? "").trim().slice(0, 300);
  return {
    kind: "unproven",
    id: "setup",
    message: `no check ran: the environment could not be made ready: ${first}`,
    cause: causeText({ kind: "environment", message: first }),
  };
}

/** Splits objections into open and waived ones; a check that does not count is listed even where it was not run. */
export function settle(
  found: readonly Objection[],
  lifted: readonly AcceptedObjection[],
): { readonly objections: Objection[]; readonly accepted: AcceptedObjection[] } {
  const isOf = (one: Objection) => (each: AcceptedObjection) =>
    each.kind === one.kind && each.id === one.id && each.cause === one.cause;
  const accepted = new Map<string, AcceptedObjection>();
  const accept = (one: AcceptedObjection) => accepted.set(JSON.stringify([one.kind, one.id, one.cause]), one);
  for (const one of lifted) if (one.not_applicable && one.id !== NOTHING.id) accept(one);
  const objections: Objection[] = [];
  for (const one of found) {
    const by = lifted.find(isOf(one));
    if (by === undefined) objections.push(one);
    else accept(by);
  }
  return { objections, accepted: [...accepted.values()] };
}

/** The checks that count: without those a person said do not, for this run. */
export function dropNotApplicable<T extends { readonly name: string }>(
  checks: readonly T[],
  lifted: readonly AcceptedObjection[],
): T[] {
  const out = new Set(lifted.filter((one) => one.kind === "unproven" && one.not_applicable).map(({ id }) => id));
  return checks.filter(({ name }) => !out.has(name));
}
