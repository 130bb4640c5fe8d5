import type { EventOf, LoggedEvent, RunEvent } from "../../model/event.js";
import { whoDecided } from "../report/who-decided.js";
import { apply } from "../run/apply.js";
import { isOver, NEW_RUN, type RunState } from "../run/state.js";
import { taskIdOf } from "../run/inbox-entry.js";
import { OPERATIONS, OWN, STANDARD } from "./metric-names.js";
import { type Attributes, OpenSpans, type Span } from "./open-spans.js";

/*
 * A run as a tree of spans: run → task → attempt → tool use, and verification, integration and waiting on people beside the
 * attempts. They follow from the log alone, and every span is named by a key that follows from it too. A program that reads the
 * same log again, in another process, gets the same spans.
 */

/** Content that is in spans only when a person asks for it: requests, typed text and messages. */
export interface SpanOptions {
  readonly content: boolean;
}

const RUN = "run";
const ENDED = new Set(["completed", "failed", "skipped", "cancelled"]);

export class SpanFold {
  readonly #content: boolean;
  readonly #spans = new OpenSpans();
  #state: RunState = NEW_RUN;
  /** How often the run was begun: one that is over can be taken up again. */
  #times = 0;
  /** How often each task was begun, and what is under way for it. */
  readonly #begun = new Map<string, number>();
  readonly #attempts = new Map<string, string>();
  readonly #stages = new Map<string, string>();
  /** The tools of each attempt that were allowed and not yet seen, by call. */
  readonly #tools = new Map<string, Map<string, string>>();

  constructor({ content }: SpanOptions) {
    this.#content = content;
  }

  get state(): RunState {
    return this.#state;
  }

  /** Contract: the events of one log in their order, from the first. Returns the spans that this event ends. */
  take(logged: LoggedEvent): readonly Span[] {
    const before = this.#state;
    this.#state = apply(before, logged.event, logged.clock_ms);
    this.#spans.at(logged);
    if (!this.#spans.has(this.#run) && !isOver(this.#state)) this.#beginRun(logged);
    this.#follow(logged);
    if (this.#state.inbox !== before.inbox) this.#followInbox(before, logged.event);
    this.#endTask(taskOf(logged.event, before));
    if (isOver(this.#state) && !isOver(before)) this.#endRun();
    return this.#spans.takeEnded();
  }

  get #run(): string {
    return this.#times <= 1 ? RUN : `${RUN}/${this.#times}`;
  }

  #beginRun({ run_id, event }: LoggedEvent): void {
    this.#times++;
    const words = event.type === "request_received" && this.#content ? { [STANDARD.input]: event.request } : {};
    this.#spans.begin(this.#run, null, `${OPERATIONS.workflow} coordinator`, "run", {
      [STANDARD.operation]: OPERATIONS.workflow,
      [STANDARD.workflow]: "coordinator",
      [STANDARD.conversation]: run_id,
      [OWN.run]: run_id,
      ...words,
    });
    if (event.type === "request_received") this.#spans.begin("plan", this.#run, "plan", "plan", { [OWN.run]: run_id });
  }

  #follow({ event, sequence, run_id }: LoggedEvent): void {
    switch (event.type) {
      case "plan_frozen":
        this.#spans.end("plan", { [OWN.plan]: event.plan.plan_id, [OWN.tasks]: event.plan.tasks.length });
        this.#spans.add(this.#run, { [OWN.plan]: event.plan.plan_id, [OWN.tasks]: event.plan.tasks.length });
        break;
      case "attempt_started":
        this.#beginAttempt(event, run_id);
        break;
      case "tool_judged":
        this.#judge(event, sequence);
        break;
      case "iteration_finished":
        this.#spans.note(this.#attempts.get(event.task_id), "iteration", {
          iteration: event.iteration,
          promised: event.promised,
          next: event.next,
        });
        break;
      case "attempt_finished":
        this.#endAttempt(event);
        if (event.outcome.kind === "completed") this.#stage("verify", event.task_id, event.attempt, sequence);
        break;
      case "verification_finished":
        this.#endStage(event.task_id, event.verdict === "PASS" ? null : event.verdict, {
          [OWN.verdict]: event.verdict,
          [OWN.outcome]: event.verdict,
        });
        if (event.verdict === "PASS") this.#stage("integrate", event.task_id, event.attempt, sequence);
        break;
      case "judgement_resumed":
        this.#stage("verify", event.task_id, event.attempt, sequence);
        break;
      case "conflict_found":
        this.#endStage(event.task_id, null, { [OWN.outcome]: "conflict" });
        this.#stage("resolve", event.task_id, event.attempt, sequence);
        break;
      case "conflict_resolved":
        this.#endStage(event.task_id, null, { [OWN.outcome]: "resolved" });
        this.#stage("integrate", event.task_id, event.attempt, sequence);
        break;
      case "integration_finished":
        this.#endStage(event.task_id, event.integrated ? null : "not_integrated", {
          [OWN.outcome]: event.integrated ? "integrated" : "not_integrated",
        });
        if (event.integrated) this.#stage("review", event.task_id, event.attempt, sequence);
        break;
      case "review_finished":
        this.#endStage(event.task_id, event.accepted ? null : "rejected", {
          [OWN.outcome]: event.accepted ? "accepted" : "rejected",
        });
        break;
      case "gate_decided":
        this.#spans.note(this.#run, "gate", { phase: event.gate.phase, decision: event.gate.decision });
        break;
      case "breaker_changed":
        this.#spans.note(this.#run, "breaker", { agent: event.agent, to: event.to });
        break;
      case "coordination_used":
        this.#spans.note(this.#run, "coordination", { tokens: event.tokens, cost_usd: event.cost_usd });
        break;
      default:
        break;
    }
  }

  #taskKey(taskId: string): string {
    const times = this.#begun.get(taskId) ?? 1;
    return times <= 1 ? `task/${taskId}` : `task/${taskId}/${times}`;
  }

  #beginAttempt({ task_id, attempt, agent, model }: EventOf<"attempt_started">, run_id: string): void {
    if (!this.#spans.has(this.#taskKey(task_id))) {
      this.#begun.set(task_id, (this.#begun.get(task_id) ?? 0) + 1);
      const index = this.#state.layout?.indexOf.get(task_id) ?? -1;
      const title = this.#state.layout?.plan.tasks[index]?.title;
      const named = this.#content && title !== undefined ? { [OWN.title]: title } : {};
      this.#spans.begin(this.#taskKey(task_id), this.#run, "task", "task", {
        [OWN.run]: run_id,
        [OWN.task]: task_id,
        ...named,
      });
    }
    const key = `${this.#taskKey(task_id)}/attempt/${attempt}`;
    this.#attempts.set(task_id, key);
    this.#tools.set(task_id, new Map());
    this.#spans.begin(key, this.#taskKey(task_id), `${OPERATIONS.agent} ${agent}`, "attempt", {
      [STANDARD.operation]: OPERATIONS.agent,
      [STANDARD.agent]: agent,
      ...(model === undefined ? {} : { [STANDARD.model]: model }),
      [OWN.run]: run_id,
      [OWN.task]: task_id,
      [OWN.attempt]: attempt,
    });
  }

  #judge({ task_id, attempt, use, judgement }: EventOf<"tool_judged">, sequence: number): void {
    const parent = this.#attempts.get(task_id);
    const open = this.#tools.get(task_id);
    if (parent === undefined || open === undefined) return;
    const allowed = judgement.decision === "allow";
    const judged = { [OWN.decision]: judgement.decision, [OWN.rule]: judgement.rule_id };
    const asked = open.get(use.tool_call_id);
    const key = asked ?? `${parent}/tool/${sequence}`;
    if (asked === undefined) {
      const said = use.command ?? use.paths.map(({ path }) => path).join(" ");
      this.#spans.begin(key, parent, `${OPERATIONS.tool} ${use.kind}`, "tool", {
        [STANDARD.operation]: OPERATIONS.tool,
        [STANDARD.tool]: use.kind,
        [STANDARD.toolCall]: use.tool_call_id,
        [OWN.task]: task_id,
        [OWN.attempt]: attempt,
        ...(this.#content ? { [STANDARD.toolArguments]: said } : {}),
      });
    }
    if (use.stage === "request" && allowed) {
      this.#spans.add(key, judged);
      open.set(use.tool_call_id, key);
      return;
    }
    open.delete(use.tool_call_id);
    this.#spans.end(key, { ...judged, [OWN.observed]: use.stage === "deed" }, allowed ? null : judgement.decision);
  }

  #endAttempt({ task_id, outcome, usage, said }: EventOf<"attempt_finished">): void {
    const key = this.#attempts.get(task_id);
    if (key === undefined) return;
    for (const tool of this.#tools.get(task_id)?.values() ?? []) this.#spans.end(tool, { [OWN.observed]: false });
    this.#tools.delete(task_id);
    this.#attempts.delete(task_id);
    const { tokens, cost_usd, minutes } = usage.amounts;
    const used = { [OWN.tokens]: tokens, [OWN.cost]: cost_usd, [OWN.minutes]: minutes, [OWN.source]: usage.source };
    const words = this.#content && said !== undefined ? { [STANDARD.output]: said } : {};
    const failed = outcome.kind === "completed" ? null : outcome.kind === "structural" ? outcome.error : outcome.kind;
    this.#spans.end(key, { ...used, ...words, [OWN.outcome]: outcome.kind }, failed);
  }

  #stage(stage: Span["about"], task_id: string, attempt: number, sequence: number): void {
    const key = `${this.#taskKey(task_id)}/${stage}/${sequence}`;
    this.#stages.set(task_id, key);
    this.#spans.begin(key, this.#taskKey(task_id), stage, stage, { [OWN.task]: task_id, [OWN.attempt]: attempt });
  }

  #endStage(task_id: string, failed: string | null, attributes: Attributes): void {
    const key = this.#stages.get(task_id);
    if (key !== undefined) this.#spans.end(key, attributes, failed);
    this.#stages.delete(task_id);
  }

  /** Everything in the inbox waits on people, whatever put it there. */
  #followInbox({ inbox }: RunState, event: RunEvent): void {
    const now = new Set(this.#state.inbox.map(({ id }) => id));
    const known = new Set(inbox.map(({ id }) => id));
    const how = whoDecided(event)?.how ?? "none";
    for (const { id } of inbox) if (!now.has(id)) this.#spans.endLast(`wait/${id}`, { [OWN.decidedHow]: how });
    for (const entry of this.#state.inbox) {
      if (known.has(entry.id)) continue;
      const task = taskIdOf(entry);
      const parent = task !== null && this.#spans.has(this.#taskKey(task)) ? this.#taskKey(task) : this.#run;
      this.#spans.beginNext(`wait/${entry.id}`, parent, `wait ${entry.kind}`, "wait", {
        [OWN.entry]: entry.id,
        [OWN.kind]: entry.kind,
        ...(task === null ? {} : { [OWN.task]: task }),
      });
    }
  }

  #endTask(taskId: string | null): void {
    const index = taskId === null ? undefined : this.#state.layout?.indexOf.get(taskId);
    if (taskId === null || index === undefined) return;
    const { status } = this.#state.tasks.get(index).state;
    if (ENDED.has(status)) this.#closeTask(taskId, status);
  }

  #closeTask(taskId: string, status: string): void {
    this.#spans.end(this.#taskKey(taskId), { [OWN.status]: status }, status === "failed" ? "failed" : null);
  }

  /** Whatever is still open ends with the run. */
  #endRun(): void {
    const { layout, tasks, status } = this.#state;
    for (const [taskId] of this.#begun) {
      const index = layout?.indexOf.get(taskId);
      if (index !== undefined) this.#closeTask(taskId, tasks.get(index).state.status);
    }
    this.#spans.endAllBut(this.#run, { [OWN.outcome]: "run_over" });
    this.#spans.end(this.#run, { [OWN.status]: status }, status === "failed" ? "failed" : null);
    this.#attempts.clear();
    this.#stages.clear();
    this.#tools.clear();
  }
}

/** The task that an event is about: its own, or that of the entry it answers. */
function taskOf(event: RunEvent, { inbox }: RunState): string | null {
  if ("task_id" in event) return event.task_id;
  const answered =
    event.type === "escalation_answered"
      ? event.escalation_id
      : event.type === "change_decided"
        ? event.change_id
        : null;
  const entry = answered === null ? undefined : inbox.find(({ id }) => id === answered);
  return entry === undefined ? null : taskIdOf(entry);
}
