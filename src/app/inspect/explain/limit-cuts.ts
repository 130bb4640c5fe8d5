import type { LimitSource, ScopeLimit } from "../../../model/scope.js";
import { describeSource, describeValue } from "./describe-limits.js";

/*
 * Requests for more than the routing policy or the contract permits. One rule for plan, run and explain: the wider part is
 * left out and said; a task that would have nothing left to write is refused before a run begins.
 */

/** A limit that gives a task less than was asked for it. */
export interface LimitCut {
  readonly what: ScopeLimit["what"];
  readonly asker: LimitSource;
  /** The requested part that is left out; of a number the requested one. */
  readonly lost: ScopeLimit["value"];
  readonly left: ScopeLimit["value"];
  readonly by: LimitSource;
}

const SETS_BOUNDS: readonly LimitSource[] = ["routing policy", "contract"];

/** Contract: pure. Null where the task gets all that was asked for. */
export function readCut({ what, value, by, others }: ScopeLimit): LimitCut | null {
  const asked = others.find((other) => !SETS_BOUNDS.includes(other.by));
  if (!SETS_BOUNDS.includes(by) || asked === undefined) return null;
  const lost =
    typeof asked.value === "number" || typeof value === "number"
      ? asked.value
      : asked.value.filter((one) => !value.includes(one));
  return typeof lost !== "number" && lost.length === 0 ? null : { what, asker: asked.by, lost, left: value, by };
}

/** Whether a cut leaves a task nothing to work with: no path to write, or no tool to write with. Contract: pure. */
export function leavesNothing({ what, lost, left }: LimitCut): boolean {
  if (what === "tools") return Array.isArray(lost) && lost.includes("edit");
  return what === "write" && Array.isArray(left) && left.length === 0;
}

const ASKED: Readonly<Record<ScopeLimit["what"], string>> = {
  tools: "for the tools",
  write: "to write",
  network: "to reach",
  minutes: "for",
  output_bytes: "to print",
};

/** `the plan asks to write src/**; the routing policy team leaves test/**`. */
export function describeCut({ what, asker, lost, left, by }: LimitCut, policyId: string | undefined): string {
  const asked = `${describeSource(asker, policyId)} asks ${ASKED[what]} ${describeValue(what, lost)}`;
  return `${asked}; ${describeSource(by, policyId)} leaves ${describeValue(what, left)}`;
}
