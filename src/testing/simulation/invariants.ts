import type { EventOf, RunEvent } from "../../model/event.js";
import type { PlanRef, RunPolicy, RunTask } from "../../model/run.js";
import type { Effect } from "../../mind/run/effects.js";
import { isOver, type RunState } from "../../mind/run/state.js";
import { isBudgetEntry, taskIdOf } from "../../mind/run/inbox-entry.js";
import { Books } from "./books.js";
import { Conflicts } from "./conflicts.js";

/** Checks what must hold of a run after every event, however the world behaves. It keeps books of its own: it trusts no other part. */
export class Watch {
  readonly violations: string[] = [];
  readonly #plan: PlanRef;
  readonly #policy: RunPolicy;
  readonly #done = new Set<string>();
  readonly #started = new Set<string>();
  readonly #ended = new Set<string>();
  /** Tasks that may not start again until a person has said so, and why. */
  readonly #held = new Map<string, string>();
  /** Tasks that people skipped, and those they deleted with what builds on them. */
  readonly #skipped = new Set<string>();
  readonly #deleted = new Set<string>();
  readonly #retries = new Map<string, number>();
  readonly #openSince = new Map<string, number>();
  readonly #probes = new Map<string, string | null>();
  /** Paths that people have let tasks write beyond their scope. */
  readonly #widened = new Map<string, string[]>();
  /** Tests that people waived, by attempt. */
  readonly #waivers = new Map<string, string[]>();
  readonly #level: ReadonlyMap<string, number>;
  readonly #books: Books;
  readonly #conflicts: Conflicts;
  #approved = false;
  #paused = false;
  /** True also of a run that has none. */
  #requirementsHold = true;
  /** They were found not to hold, and nobody has said anything since. */
  #unmet = false;
  #verified = false;

  constructor(plan: PlanRef, policy: RunPolicy) {
    this.#plan = plan;
    this.#policy = policy;
    this.#level = levelsOf(plan.tasks);
    this.#books = new Books(plan, (violation) => this.report(violation));
    this.#conflicts = new Conflicts(policy, (violation) => this.report(violation));
  }

  report(violation: string): void {
    if (this.violations.length < 20) this.violations.push(violation);
  }

  committed(before: RunState, after: RunState, events: readonly RunEvent[], now: number): void {
    for (const event of events) {
      this.#one(event, before, now);
      this.#books.take(event, before);
      this.#conflicts.take(event);
      if (event.type === "attempt_started" && this.#policy.schedule === "levels") this.#barrier(event.task_id, after);
    }
    this.#books.compare(after, events);
    this.#conflicts.compare(after);
    if (after.running > this.#policy.max_concurrent_tasks)
      this.report(`${after.running} at once, ${this.#policy.max_concurrent_tasks} allowed`);
  }

  /** Checks an effect that the hands are asked to do, however often. */
  acted(effect: Effect): void {
    if (effect.kind === "verify" || effect.kind === "integrate") this.#checkWaived(effect);
    if (effect.kind !== "start_attempt") return;
    const { task_id, scope } = effect;
    const planned = this.#plan.tasks.find((task) => task.task_id === task_id)?.scope ?? null;
    const may = planned === null ? null : [...new Set([...planned.write, ...(this.#widened.get(task_id) ?? [])])];
    if (JSON.stringify(scope?.write ?? null) !== JSON.stringify(may))
      this.report(`${effect.id} may write ${String(scope?.write)}, people allowed ${String(may)}`);
  }

  /** A result is judged without the tests that a person waived for it, and without no others. */
  #checkWaived({ id, task_id, attempt, lifted }: Extract<Effect, { kind: "verify" | "integrate" }>): void {
    const told = lifted.flatMap(({ tests }) => tests.map((test) => test.id));
    const may = this.#waivers.get(`${task_id}#${attempt}`) ?? [];
    if (told.join() !== may.join()) this.report(`${id} is judged without ${told.join()}, people waived ${may.join()}`);
  }

  /** A level has ended when all of it is done, failed or with a person. */
  #barrier(taskId: string, after: RunState): void {
    const level = this.#level.get(taskId) ?? 0;
    for (const [i, { task_id }] of this.#plan.tasks.entries()) {
      if ((this.#level.get(task_id) ?? 0) >= level || this.#done.has(task_id) || this.#held.has(task_id)) continue;
      if (this.#skipped.has(task_id) || this.#deleted.has(task_id)) continue;
      if (after.tasks.get(i).state.status !== "failed")
        this.report(`${taskId} of level ${level} started before ${task_id} had ended`);
    }
  }

  #one(event: RunEvent, before: RunState, now: number): void {
    switch (event.type) {
      case "plan_frozen":
        this.#verified = event.verified;
        break;
      case "plan_approved":
        this.#approved = true;
        break;
      case "attempt_started":
        this.#applyAttemptStart(event, now);
        break;
      case "attempt_finished":
        this.#applyAttemptEnd(event, now);
        break;
      case "route_reevaluated":
        if (event.outcome === "dispatched") this.#givenMore.add(`${event.task_id}#${event.attempt}`);
        break;
      case "alternative_chosen":
        this.#otherApproach(event);
        break;
      case "review_finished":
        if (event.accepted && this.#done.has(event.task_id)) this.report(`${event.task_id} is done twice`);
        if (event.accepted) this.#done.add(event.task_id);
        else this.#held.set(event.task_id, "not accepted");
        break;
      case "verification_finished":
        if (event.verdict !== "PASS") this.#held.set(event.task_id, "did not verify");
        break;
      case "integration_finished":
        if (!event.integrated) this.#held.set(event.task_id, "not integrated");
        break;
      case "scope_widened":
        this.#widened.set(event.task_id, [...(this.#widened.get(event.task_id) ?? []), ...event.addition.write]);
        this.#release(event.task_id);
        break;
      case "escalation_answered":
      case "question_answered":
        if (event.type === "escalation_answered") {
          this.#paused = false;
          this.#unmet = false;
        }
        this.#checkOrder(before, event);
        break;
      case "change_decided":
        this.#checkChange(before, event);
        break;
      case "brief_kept":
        this.#requirementsHold = false;
        break;
      case "requirements_judged":
        if (this.#countAccountedFor() !== this.#plan.tasks.length)
          this.report("requirements were judged before all was done");
        if (this.#unmet) this.report("requirements were judged again by themselves");
        this.#requirementsHold = event.results.some(({ id, holds }) => id === "REQ-1" && holds === true);
        this.#unmet = !this.#requirementsHold;
        break;
      case "dispatch_paused":
        this.#paused = true;
        break;
      case "breaker_changed":
        this.#breaker(event, now);
        break;
      case "fallback_taken":
        this.#applyFallback(event);
        break;
      default:
    }
  }

  #applyAttemptStart({ task_id, attempt, agent }: EventOf<"attempt_started">, now: number): void {
    const key = `${task_id}#${attempt}`;
    if (!this.#verified || !this.#approved) this.report(`${key} started without a verified and approved plan`);
    if (this.#started.has(key)) this.report(`${key} started twice`);
    this.#started.add(key);
    if (this.#done.has(task_id)) this.report(`${task_id} started again after it was done`);
    const why = this.#held.get(task_id);
    if (why !== undefined) this.report(`${task_id} started again by itself after: ${why}`);
    const task = this.#plan.tasks.find((t) => t.task_id === task_id);
    for (const dependency of task?.dependencies ?? [])
      if (!this.#done.has(dependency) && !this.#skipped.has(dependency))
        this.report(`${task_id} started before ${dependency} was done`);
    if (this.#skipped.has(task_id) || this.#deleted.has(task_id))
      this.report(`${task_id} started after people had dropped it`);
    if (this.#paused) this.report(`${task_id} started while dispatch was paused`);
    this.#agentOf.set(task_id, agent);
    const since = this.#openSince.get(agent);
    if (since !== undefined) {
      if (!this.#halfOpen.has(agent) && now < since + this.#policy.failure.breaker_open_ms)
        this.report(`${key} started against the open breaker of ${agent}`);
      if ((this.#probes.get(agent) ?? null) !== null) this.report(`${key} is a second probe of ${agent}`);
      this.#probes.set(agent, key);
    }
  }

  /** Somebody else may try what one could not; nobody but whom the plan names. */
  #applyFallback({ task_id, to }: EventOf<"fallback_taken">): void {
    const { fallbacks = [] } = this.#plan.tasks.find((task) => task.task_id === task_id) ?? {};
    if (!fallbacks.some(({ agent, model }) => agent === to.agent && model === to.model))
      this.report(`${task_id} went to ${to.agent ?? "nobody"}, whom the plan does not name`);
    this.#retries.delete(task_id);
    this.#held.delete(task_id);
  }

  #applyAttemptEnd({ task_id, attempt, outcome }: EventOf<"attempt_finished">, now: number): void {
    const key = `${task_id}#${attempt}`;
    if (!this.#started.has(key)) this.report(`${key} ended without having started`);
    if (this.#ended.has(key)) this.report(`${key} ended twice`);
    this.#ended.add(key);
    for (const [agent, probe] of this.#probes) if (probe === key) this.#probes.set(agent, null);
    if (outcome.kind === "structural") {
      const retries = (this.#retries.get(task_id) ?? 0) + 1;
      this.#retries.set(task_id, retries);
      const { max_retries, max_wait_ms } = this.#policy.failure;
      if (retries > max_retries) this.#held.set(task_id, `${retries} structural failures`);
      if ((outcome.wait_until_ms ?? 0) > now + max_wait_ms) this.#held.set(task_id, "a wait that is too long");
    } else if (outcome.kind === "clarification" && this.#givenMore.has(key)) this.#held.delete(task_id);
    else if (outcome.kind !== "completed") this.#held.set(task_id, outcome.kind);
    this.#countFailure(task_id, outcome.kind, now);
  }

  /** Attempts whose task gets more documents for its next one, when they end with a question. */
  readonly #givenMore = new Set<string>();
  readonly #tried = new Set<string>();
  /** Another approach is one attempt after a structural failure, and there is one until a person orders something. */
  #otherApproach({ task_id }: EventOf<"alternative_chosen">): void {
    const why = this.#held.get(task_id) ?? "nothing";
    if (!/structural failures|wait that is too long/.test(why)) this.report(`${task_id} tried otherwise after ${why}`);
    if (this.#tried.has(task_id)) this.report(`${task_id} was tried otherwise twice`);
    this.#tried.add(task_id);
    this.#held.delete(task_id);
    this.#retries.set(task_id, this.#policy.failure.max_retries);
  }

  /** The breaker, counted again from the events alone. */
  readonly #failures = new Map<string, number>();
  #countFailure(task_id: string, kind: string, now: number): void {
    const agent = this.#agentOf.get(task_id) ?? "";
    if (kind !== "structural" && kind !== "semantic" && kind !== "quality" && kind !== "safety") return;
    this.#failures.set(agent, (this.#failures.get(agent) ?? 0) + 1);
    if (this.#openSince.has(agent) && !this.#halfOpen.has(agent)) this.#openSince.set(agent, now);
  }

  readonly #halfOpen = new Set<string>();
  #breaker({ agent, to }: EventOf<"breaker_changed">, now: number): void {
    this.#halfOpen.delete(agent);
    if (to === "half_open") this.#halfOpen.add(agent);
    else if (to === "open") {
      if ((this.#failures.get(agent) ?? 0) < this.#policy.failure.breaker_failures)
        this.report(`the breaker of ${agent} opened too early`);
      this.#openSince.set(agent, now);
    } else {
      this.#openSince.delete(agent);
      this.#failures.set(agent, 0);
    }
  }

  readonly #agentOf = new Map<string, string>();

  #checkOrder(before: RunState, event: EventOf<"escalation_answered" | "question_answered">): void {
    const id = event.type === "question_answered" ? event.question_id : event.escalation_id;
    const entry = before.inbox.find((e) => e.id === id);
    const task = entry === undefined ? null : taskIdOf(entry);
    if (task !== null) this.#release(task);
    if (event.type === "escalation_answered" && task !== null) {
      const { order } = event;
      if (order.action === "skip") this.#skipped.add(task);
      if (order.action === "widen")
        this.#widened.set(task, [...(this.#widened.get(task) ?? []), ...order.addition.write]);
    }
    if (event.type !== "escalation_answered" || event.order.action !== "lift" || entry?.kind !== "escalation") return;
    const key = `${task ?? ""}#${entry.escalation.attempt ?? 0}`;
    this.#waivers.set(key, [...(this.#waivers.get(key) ?? []), ...event.order.tests.map((test) => test.id)]);
  }

  #checkChange(before: RunState, { change_id, approved }: EventOf<"change_decided">): void {
    const entry = before.inbox.find(({ id }) => id === change_id);
    if (!approved || entry?.kind !== "task_change") return;
    const { task_id, change } = entry;
    const attempts = [...this.#started].filter((key) => key.startsWith(`${task_id}#`));
    if (attempts.some((key) => !this.#ended.has(key))) this.report(`${task_id} was changed while it was worked on`);
    if (this.#done.has(task_id)) this.report(`${task_id} was changed after it was done`);
    if (change.action === "skip_task") this.#skipped.add(task_id);
    if (change.action === "delete_task") this.#delete(task_id);
    const asked = before.inbox.filter((e) => taskIdOf(e) === task_id);
    if (change.action !== "change_priority" && change.action !== "reassign_task" && asked.some(isBudgetEntry))
      this.#paused = false;
  }

  #delete(task: string): void {
    if (this.#done.has(task) || this.#skipped.has(task) || this.#deleted.has(task)) return;
    this.#deleted.add(task);
    for (const { task_id, dependencies } of this.#plan.tasks) if (dependencies.includes(task)) this.#delete(task_id);
  }

  /** A person lets a task go on that was held. More budget for one that only waits is not an order of an attempt. */
  #release(task: string): void {
    if (!this.#held.delete(task)) return;
    this.#retries.set(task, 0);
    this.#tried.delete(task);
  }

  /** At the end nothing is open, nothing is lost, and the log alone gives the same state. */
  atEnd(state: RunState, folded: RunState): void {
    if (JSON.stringify(summary(state)) !== JSON.stringify(summary(folded)))
      this.report("the log folds to another state than the process had");
    if (!isOver(state)) {
      this.report(
        `the run stopped in ${state.status} with ${state.inbox.length} entries in the inbox and ${state.running} running`,
      );
      return;
    }
    if (state.status === "completed" && !this.#requirementsHold)
      this.report("completed, and a requirement that must hold does not");
    if (state.status === "completed" && this.#countAccountedFor() !== this.#plan.tasks.length)
      this.report(`completed with ${this.#countAccountedFor()} of ${this.#plan.tasks.length} tasks done or dropped`);
  }

  /** The tasks that have come to an end a run may complete with. */
  #countAccountedFor(): number {
    return this.#done.size + this.#skipped.size + this.#deleted.size;
  }
}

function summary(state: RunState): unknown {
  const { layout: _layout, tasks, ...rest } = state;
  return { ...rest, tasks: [...tasks] };
}

/** How deep each task lies, by the plainest way there is. */
function levelsOf(tasks: readonly RunTask[]): Map<string, number> {
  const level = new Map<string, number>();
  const depth = (id: string): number => {
    const known = level.get(id);
    if (known !== undefined) return known;
    const { dependencies } = tasks.find(({ task_id }) => task_id === id) ?? { dependencies: [] };
    const found = dependencies.length === 0 ? 0 : 1 + Math.max(...dependencies.map(depth));
    level.set(id, found);
    return found;
  };
  for (const { task_id } of tasks) depth(task_id);
  return level;
}
