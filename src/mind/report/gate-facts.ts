import type { EscalationOrder, GateDecision } from "../../model/run.js";
import type { RunFigures } from "./run-figures.js";

type Decided = Pick<GateDecision, "phase" | "decision">;

/*
 * Which GO and NO_GO decisions of a run did not hold. A decision is taken for right until a later fact of the same log
 * says otherwise; one decision is wrong once, however much speaks against it.
 */
export class GateFacts {
  readonly #decided: (Decided & { because: string | null })[] = [];
  /** A person let a held run go on as it was, without giving it anything more. */
  #letGoOn = false;

  addDecision({ phase, decision }: Decided): void {
    // Decided again on other facts: a GO after a NO_GO does not make the NO_GO wrong by itself.
    if (phase === "closure" && decision === "NO_GO")
      this.contradict("execution", "GO", "closure found a fault that execution had accepted");
    this.#decided.push({ phase, decision, because: null });
  }

  /** Notes the order of a person about held work. */
  addOrder(action: EscalationOrder["action"]): void {
    if (action === "resume") this.#letGoOn = true;
  }

  /** Contract: the last such decision is wrong, if there is one and nothing has said so yet. */
  contradict(phase: Decided["phase"], decision: Decided["decision"], because: string): void {
    const last = this.#decided.findLast((one) => one.phase === phase);
    if (last?.decision === decision) last.because ??= because;
  }

  /** The run is over: what it came to speaks about what its gates had said. */
  finish(status: "completed" | "failed", done: number): void {
    if (status === "failed") {
      this.contradict("execution", "GO", "the run failed all the same");
      if (done === 0) this.contradict("planning", "GO", "the run failed and nothing of it was done");
      return;
    }
    if (!this.#letGoOn) return;
    for (const one of this.#decided)
      if (one.decision === "NO_GO") one.because ??= "a person let it go on as it was, and it was completed";
  }

  result(): RunFigures["gates"] {
    const because = this.#decided.flatMap((one) => (one.because === null ? [] : [`${one.phase}: ${one.because}`]));
    return { decided: this.#decided.length, wrong: because.length, because };
  }
}
