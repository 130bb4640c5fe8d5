import type { EndedTurn } from "../../agents/agent.js";
import { withoutSecrets } from "../../../foundation/files/known-secrets.js";
import type { Compared } from "../../../model/settings/check.js";
import type { Iteration, Promised } from "../../../model/run.js";
import { decideNextIteration, type FailingCheck, type NextIteration } from "../../../mind/run/decide/iterate.js";
import { givesPromise } from "../../../mind/scope/promise.js";
import { withObserver } from "../../checks/observe.js";
import type { Regressions } from "../../checks/regressions.js";
import type { Quarantine } from "../../workspace/quarantine.js";
import type { Workspaces } from "../../workspace/workspace.js";
import { activityFolder, reportActivity } from "../../checks/on-trees/activity.js";
import type { AttemptNote, AttemptOrder, AttemptResult } from "../attempt-order.js";
import type { TakeOverResult } from "../take-over.js";
import { iterationChecks, type IterationChecks } from "./iteration-checks.js";
import { iterationPrompt } from "./iteration-prompt.js";

/*
 * The turns of one attempt. After each the agent's change is taken over as a result would be, checked in a clean copy, and
 * its last words are searched for the completion promise. The parts that are missing become the next prompt of the same session, as long
 * as `mind/run/decide/iterate.ts` says so. The verdict on the result is not given here: that is done outside, when the attempt is over.
 */

export interface IterationParts {
  readonly quarantine: Quarantine;
  readonly workspaces: Workspaces;
  /** The agent's result so far, after the gates. */
  readonly takeOver: (said: string) => Promise<TakeOverResult>;
  /** Whether it was refused something that its task may need. */
  readonly isRefused: (changes: AttemptResult["changes"], said: string) => boolean;
  readonly note: (note: AttemptNote) => void;
  readonly signal: AbortSignal;
}

export interface Iterations {
  /** Contract: as `AttemptRequest.next`. */
  readonly next: (turn: EndedTurn) => Promise<string | null>;
  /** The entry about it in the attempt's result. */
  readonly told: () => { readonly promise: Promised; readonly iterations: Iteration[] };
}

type Loop = NonNullable<AttemptOrder["loop"]>;

/** Null for an attempt of one turn. */
export function createIterations(order: AttemptOrder, parts: IterationParts): Iterations | null {
  const { loop } = order;
  return loop === undefined ? null : new Turns(order, loop, parts);
}

const MOST_NAMED = 20;

class Turns implements Iterations {
  readonly #order: AttemptOrder;
  readonly #loop: Loop;
  readonly #parts: IterationParts;
  readonly #checks: IterationChecks;
  readonly #iterations: Iteration[] = [];
  #used = { tokens: 0, cost_usd: 0 };
  /** The state after the turn before, and how often in a row it has not changed. */
  #before = "";
  #idle = 0;

  constructor(order: AttemptOrder, loop: Loop, parts: IterationParts) {
    this.#order = order;
    this.#loop = loop;
    this.#parts = parts;
    this.#checks = iterationChecks(order, loop, parts);
  }

  readonly next = async (turn: EndedTurn): Promise<string | null> => {
    const { promise, iterations: limit } = this.#loop;
    const iteration = this.#iterations.length + 1;
    const promised = givesPromise(turn.output, promise);
    const seen = await this.#look(iteration, turn.output);
    const failing = (seen?.regressions ?? []).map(failingCheck);
    const state = { iteration, limit, promised, failing, refused: seen?.refused ?? false };
    const decision: NextIteration =
      seen === null
        ? { next: "ask", reason: "what the agent left cannot be taken as it is" }
        : decideNextIteration({ ...state, idle: this.#countIdle(seen.tree, promised, failing) });
    this.#keep({ iteration, limit, promised, seen, failing, decision, turn });
    if (decision.next !== "again" || this.#parts.signal.aborted) return null;
    const { promise_missing } = decision;
    const told = await this.#listTellable(seen);
    return iterationPrompt({ iteration: iteration + 1, limit, promise, promise_missing, ...told });
  };

  readonly told = () => {
    const last = this.#iterations.at(-1);
    const promise: Promised = {
      text: this.#loop.promise,
      given: last?.promised ?? false,
      iterations: this.#iterations.length,
      reason: last?.reason ?? "",
    };
    return { promise, iterations: this.#iterations };
  };

  /** Null when what the agent left is nothing that could become a result: then the gates say why. */
  async #look(iteration: number, said: string): Promise<Seen | null> {
    const { takeOver, isRefused, signal, note } = this.#parts;
    const { runId, taskId } = this.#order.name;
    try {
      const taken = await takeOver(said);
      if (taken.outcome.kind !== "completed") return null;
      const { commit, changes } = taken;
      const refused = isRefused(changes, said);
      const tree = await this.#checks.treeOf(commit ?? this.#order.base);
      // Nothing was changed, so nothing was broken.
      if (commit === null) return { commit, tree, refused, ...NOTHING_RAN };
      note({ type: "stage", stage: "checks" });
      const watched = reportActivity(activityFolder(this.#loop.state_folder, runId), {
        treeOf: () => `the agent's changes after turn ${iteration}`,
        taskId,
      });
      const found = await withObserver(watched, () => this.#checks.run(tree, signal));
      return { commit, tree, refused, ...found };
    } catch (error) {
      // The verdict outside meets the same, and says what is to be mended.
      const why = error instanceof Error ? error.message : String(error);
      note({ type: "busy", text: `the checks between two turns could not be run: ${why}` });
      return { commit: null, tree: "", refused: false, ...NOTHING_RAN };
    }
  }

  /** INVARIANT: nothing is told of files that the agent must not see. */
  async #listTellable(seen: Seen | null): Promise<{ failing: FailingCheck[]; unseen: readonly string[] }> {
    if (seen === null || seen.commit === null || seen.regressions.length === 0) return { failing: [], unseen: [] };
    try {
      const { regressions, unseen } = await this.#checks.tellable(seen.commit, seen.regressions, this.#parts.signal);
      return { failing: regressions.map(failingCheck), unseen };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#parts.note({ type: "busy", text: `what the agent may be told of its checks is not known: ${why}` });
      return { failing: [], unseen: [...new Set(seen.regressions.map(({ check }) => check))] };
    }
  }

  #countIdle(tree: string, promised: boolean, failing: readonly FailingCheck[]): number {
    const now = JSON.stringify([tree, promised, failing.map(({ check, name }) => [check, name])]);
    this.#idle = this.#iterations.length > 0 && now === this.#before ? this.#idle + 1 : 0;
    this.#before = now;
    return this.#idle;
  }

  #keep({ iteration, limit, promised, seen, failing, decision, turn }: Ended): void {
    const { amounts, source } = turn.usage;
    const ended: Iteration = withoutSecrets({
      iteration,
      limit,
      promised,
      checks: (seen?.results ?? []).map(({ check }) => ({
        check,
        failing: failing.filter((each) => each.check === check).length,
        failed_before: (seen?.pre_existing ?? []).filter((each) => each.check === check).length,
      })),
      failing: failing.slice(0, MOST_NAMED).map(({ check, name }) => `${check}: ${name}`.slice(0, 300)),
      next: decision.next,
      reason: decision.next === "ask" ? decision.reason : "",
      tokens: Math.max(0, amounts.tokens - this.#used.tokens),
      cost_usd: Math.max(0, microDollars(amounts.cost_usd - this.#used.cost_usd)),
      source,
    });
    this.#used = amounts;
    this.#iterations.push(ended);
    this.#parts.note({ type: "iteration", iteration: ended });
  }
}

interface Seen extends Pick<Regressions, "results" | "regressions" | "pre_existing"> {
  readonly commit: string | null;
  readonly tree: string;
  readonly refused: boolean;
}

interface Ended extends Pick<Iteration, "iteration" | "limit" | "promised"> {
  readonly seen: Seen | null;
  readonly failing: readonly FailingCheck[];
  readonly decision: NextIteration;
  readonly turn: EndedTurn;
}

/** The difference of two sums carries errors far below what anybody charges. */
const microDollars = (usd: number) => Math.round(usd * 1e6) / 1e6;

const NOTHING_RAN = { results: [], regressions: [], pre_existing: [] };

function failingCheck({ check, finding }: Compared): FailingCheck {
  return { check, name: finding.name, message: finding.message };
}
