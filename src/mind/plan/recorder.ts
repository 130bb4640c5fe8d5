import type { RiskAssessment, RuleDecision } from "../../model/plan/decision.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import type { ExecutionGraph, Lineage } from "../../model/plan/graph.js";
import { IntentId } from "../../model/primitives.js";
import type { QuestionPack } from "../../model/plan/questions.js";
import type { ReviewPack } from "../../model/plan/review.js";
import type { FailureInfo, ProducedOutput, StateTransition } from "../../model/tape.js";
import type { Action } from "./rules/actions.js";
import type { FrozenOutputs } from "./freeze.js";
import type { PlanInputs } from "./inputs.js";
import type { ParsedIntent } from "./parse-intent.js";
import type { PlanOutcome } from "./plan.js";
import type { Settled } from "./questions/integrate-answers.js";
import type { ActionCost } from "./models/route-models.js";
import { checksumOf, type Services } from "./services.js";
import type { FromState } from "./states.js";
import { buildTape, type TapeSource } from "./tape.js";
import { type Move, transition } from "./transition.js";

interface Known {
  parsed: ParsedIntent;
  lineage: Lineage;
  actions: readonly Action[];
  decisions: readonly RuleDecision[];
  risk: RiskAssessment;
  costs: readonly ActionCost[];
  settled: readonly Settled[];
  graph: ExecutionGraph;
  review: ReviewPack;
  frozen: FrozenOutputs;
  graphNotes: NonNullable<TapeSource["graphNotes"]>;
}

/** The one place that moves a planning run from state to state, and writes each move on the tape. */
export class Recorder {
  readonly runId: string;
  readonly questions: QuestionPack[] = [];
  readonly #inputs: PlanInputs;
  readonly #services: Services;
  readonly transitions: StateTransition[] = [];
  readonly #known: Partial<Known> = {};
  #state: FromState = "INIT";
  #failure: FailureInfo | null = null;
  #problems: readonly Diagnostic[] = [];
  #invalidInput = false;
  #instant = 0;

  constructor(inputs: PlanInputs, services: Services) {
    this.#inputs = inputs;
    this.#services = services;
    const { intent, policy, registry, facts, memory } = inputs;
    const id = intentIdOf(intent);
    const checksum = (intent as { audit?: { checksum?: unknown } } | null)?.audit?.checksum;
    const from = [
      id,
      typeof checksum === "string" ? checksum.slice(0, 64) : "",
      registry.checksum,
      facts?.pack_id ?? "",
      memory?.pack_id ?? "",
      policy.policy_id,
    ];
    this.runId = `coord_run_${services.sha256(JSON.stringify(from)).slice(0, 24)}`;
  }

  /** When the present step takes place. */
  get now(): string {
    return this.#inputs.instants[this.#instant] ?? this.#inputs.instants.at(-1) ?? "1970-01-01T00:00:00Z";
  }

  /** From here on it is the time at which that round's answers were taken. */
  nextInstant(round: number): void {
    this.#instant = Math.min(round, this.#inputs.instants.length - 1);
  }

  /** Returns whether planning got there; if not, it has ended in BLOCKED or ABORTED. */
  move(move: Move): boolean {
    const { state, entry, failure } = transition(this.#state, move, this.transitions.length + 1, this.now);
    this.transitions.push(entry);
    this.#state = state;
    if (failure === null) return true;
    const { guard, ...info } = failure;
    const failed = move.guards.filter((g) => !g.passed && g.onFail?.state === state);
    const recovery_suggestions = [...new Set(failed.flatMap((g) => g.onFail?.recovery ?? []))];
    this.#failure = { ...info, recovery_suggestions };
    this.#problems = failed.flatMap(
      (g) => g.onFail?.diagnostics ?? [{ code: g.guard_name.toUpperCase(), path: "", message: g.reason }],
    );
    this.#invalidInput = state === "BLOCKED" && guard.onFail?.invalidInput === true;
    return false;
  }

  /** The answers cannot be taken as they are; planning goes on waiting. */
  reject(problems: readonly Diagnostic[]): void {
    this.#problems = problems;
    this.#invalidInput = true;
  }

  know(known: Partial<Known>): void {
    Object.assign(this.#known, known);
  }

  addQuestions(pack: QuestionPack): void {
    this.questions.push(pack);
  }

  output(artifact_type: ProducedOutput["artifact_type"], content: unknown): ProducedOutput[] {
    return this.checked(
      artifact_type,
      `${artifact_type}_${this.runId.slice("coord_run_".length)}`,
      checksumOf(content, this.#services),
    );
  }

  checked(artifact_type: ProducedOutput["artifact_type"], artifact_id: string, checksum: string): ProducedOutput[] {
    return [{ artifact_type, artifact_id, checksum }];
  }

  outcome(): PlanOutcome {
    if (this.#state === "INIT") throw new Error("planning has not begun");
    const { parsed, lineage, actions, decisions, risk, costs, settled, graph, review, frozen, graphNotes } =
      this.#known;
    const intentId = intentIdOf(this.#inputs.intent);
    const tape = buildTape({
      runId: this.runId,
      intentId,
      coordinatorVersion: this.#services.coordinatorVersion,
      startedAt: this.transitions[0]?.timestamp ?? this.now,
      endedAt: this.now,
      state: this.#state,
      transitions: this.transitions,
      decisions: decisions ?? [],
      risk: risk ?? null,
      questions: this.questions,
      costs: costs ?? [],
      graphNotes: graphNotes ?? null,
      failure: this.#failure,
    });
    return {
      state: this.#state,
      tape,
      problems: this.#problems,
      invalidInput: this.#invalidInput,
      intentId,
      runId: this.runId,
      parsed: parsed ?? null,
      lineage: lineage ?? null,
      actions: actions ?? [],
      decisions: decisions ?? [],
      risk: risk ?? null,
      costs: costs ?? [],
      questions: this.questions,
      settled: settled ?? [],
      graph: graph ?? null,
      review: review ?? null,
      frozen: frozen ?? null,
    };
  }
}

/** The tape names its intent even when the document is too broken to name itself. */
function intentIdOf(document: unknown): string {
  const id = (document as { id?: unknown } | null | undefined)?.id;
  return IntentId.safeParse(id).success ? (id as string) : "intent_unreadable";
}
