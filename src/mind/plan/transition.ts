import type { Diagnostic } from "../../model/diagnostic.js";
import type {
  FailureInfo,
  FailureType,
  GuardResult,
  PlanState,
  ProducedOutput,
  StateTransition,
} from "../../model/tape.js";
import { type FromState, MOVES } from "./states.js";

/** A guard and what it found. A guard that does not pass says where planning ends and how a person goes on. */
export interface Guard extends GuardResult {
  readonly onFail?: {
    readonly state: "BLOCKED" | "ABORTED";
    readonly type: FailureType;
    readonly recovery: readonly string[];
    /** Every single problem, with its place in the document, when there are several. */
    readonly diagnostics?: readonly Diagnostic[];
    /** The document itself is wrong: a usage error, not a refusal. */
    readonly invalidInput?: boolean;
  };
}

export interface Move {
  readonly to: PlanState;
  readonly trigger: string;
  readonly guards: readonly Guard[];
  readonly outputs?: readonly ProducedOutput[];
}

export interface Moved {
  readonly state: PlanState;
  readonly entry: StateTransition;
  readonly failure: (FailureInfo & { readonly guard: Guard }) | null;
}

/**
 * Move from one state to the next, if every guard passes; to ABORTED or BLOCKED otherwise.
 *
 * Contract: pure. An illegal move is a broken contract and throws. ABORTED wins over BLOCKED when both kinds of
 * guard failed, so that a red line is never reported as something to tidy up.
 */
export function transition(from: FromState, move: Move, sequence: number, now: string): Moved {
  const failed = move.guards.filter((guard) => !guard.passed);
  const worst = failed.find((guard) => guard.onFail?.state === "ABORTED") ?? failed[0];
  const to = worst === undefined ? move.to : (worst.onFail?.state ?? "BLOCKED");
  if (!MOVES[from].includes(to)) throw new Error(`planning cannot move from ${from} to ${to}`);
  return {
    state: to,
    entry: {
      sequence,
      from_state: from as StateTransition["from_state"],
      to_state: to,
      timestamp: now,
      trigger: worst === undefined ? move.trigger : clip(`${move.trigger}: ${worst.guard_name} did not pass`, 500),
      guards_evaluated: move.guards.map(({ guard_name, passed, reason, evidence_refs }) => ({
        guard_name,
        passed,
        reason: clip(reason, 1000),
        evidence_refs,
      })),
      outputs_produced: worst === undefined ? [...(move.outputs ?? [])] : [],
    },
    failure: worst === undefined ? null : failureOf(from, worst),
  };
}

function failureOf(from: FromState, guard: Guard): FailureInfo & { guard: Guard } {
  return {
    failure_type: guard.onFail?.type ?? "constraint_violation",
    failure_message: clip(guard.reason, 4000),
    failed_at_state: from,
    recovery_suggestions: [...(guard.onFail?.recovery ?? [])],
    guard,
  };
}

export function passGuard(guard_name: string, reason: string, evidence_refs: readonly string[] = []): Guard {
  return { guard_name, passed: true, reason, evidence_refs: [...evidence_refs] };
}

type Failing = Omit<NonNullable<Guard["onFail"]>, "state">;

function failGuard(
  state: "BLOCKED" | "ABORTED",
  guard_name: string,
  reason: string,
  onFail: Failing,
  evidence_refs: readonly string[],
): Guard {
  return {
    guard_name,
    passed: false,
    reason,
    evidence_refs: [...evidence_refs],
    onFail: { state, ...onFail },
  };
}

/** A guard that failed for something a person can mend: the data, the registry, the policy. */
export function blockGuard(
  guard_name: string,
  reason: string,
  onFail: Failing,
  evidence_refs: readonly string[] = [],
): Guard {
  return failGuard("BLOCKED", guard_name, reason, onFail, evidence_refs);
}

/** A guard that failed for something that must not be planned. */
export function abortGuard(
  guard_name: string,
  reason: string,
  onFail: Failing,
  evidence_refs: readonly string[] = [],
): Guard {
  return failGuard("ABORTED", guard_name, reason, onFail, evidence_refs);
}

/** Texts on the tape are bounded; a cut one ends in an ellipsis so that nobody takes it for the whole. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = max - 1;
  const code = text.charCodeAt(end - 1);
  return `${text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end)}…`;
}
