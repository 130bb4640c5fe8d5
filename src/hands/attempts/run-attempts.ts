import { type EventOf, MOST_LAST_WORDS, MOST_REFUSALS, type RunEvent } from "../../model/event.js";
import type { AttemptOutcome, Usage } from "../../model/run.js";
import type { RunnableEffect, EngineClock } from "../engine/effect-runner.js";
import { attemptKey } from "../../mind/run/ledger.js";
import { attemptRecord } from "../../mind/run/record-names.js";
import { listOpenRefusals } from "../../mind/scope/refusals.js";
import { agentEventIn, readBusy, iterationIn, type AttemptOrder, AttemptResult, shimOrder } from "./attempt-order.js";
import type { PlacesForWork } from "./places-for-work.js";
import type { RunRecords } from "./run-records.js";
import { type AdoptOptions, adoptOrVoid, type EffectEnd } from "./shim/adopt.js";
import { effectFolder, instancesOf } from "./shim/instance-folder.js";
import type { SpawnShim } from "./shim/spawn-shim.js";

/* Attempts: begun, adopted or stopped through their shims, and told to the log as they go. */

export type StartEffect = Extract<RunnableEffect, { kind: "start_attempt" }>;
export type StopEffect = Extract<RunnableEffect, { kind: "stop_attempt" }>;

export interface AttemptParts {
  readonly runId: string;
  /** Where the shims of this run have their folders. */
  readonly folder: string;
  readonly spawnShim: SpawnShim;
  readonly clock: EngineClock;
  readonly records: RunRecords;
  readonly orderFor: (effect: StartEffect) => Promise<AttemptOrder>;
  /** Where the project limits how many tasks are worked on at once, over all of its runs. */
  readonly places?: PlacesForWork | undefined;
  /** Waits where an agent may not begin yet. Absent where attempts are made elsewhere, which sees to it. */
  readonly untilMayBegin?:
    | ((effect: StartEffect, signal: AbortSignal, waits: (why: string) => void) => Promise<void>)
    | undefined;
  /** Why the agent must not be started with the data of the task; null when it may. */
  readonly holdForData: (effect: StartEffect) => AttemptOutcome | null;
  /** Contract: never throws; what is told too late is not taken. */
  readonly report: (event: RunEvent) => void;
  /** Where attempts are made by workers on other machines; absent where this machine makes them. */
  readonly elsewhere?: AttemptsElsewhere | undefined;
  /** Routing is evaluated again for a child that was not given enough, before its attempt is over. */
  readonly reroute: (effect: StartEffect) => Promise<void>;
}

/** Attempts on other machines. Contract: as `adoptOrVoid` has it, by the effect's id. */
export interface AttemptsElsewhere {
  readonly run: (
    effect: StartEffect,
    orderOf: () => Promise<AttemptOrder>,
    told: {
      readonly signal: AbortSignal;
      readonly onNote: (note: unknown) => void;
      /** Told why it has not begun. */
      readonly waits: (reason: string) => void;
    },
  ) => Promise<EffectEnd>;
  readonly stop: (effectId: string) => Promise<void>;
  readonly goesOn: (effectId: string) => Promise<boolean>;
}

/** Details of an attempt that the log keeps: the agent's last words, and the uses it was refused. */
function finalReport({
  output,
  refusals,
  promise,
}: AttemptResult): Pick<EventOf<"attempt_finished">, "said" | "refused" | "promise"> {
  const said = output.trim();
  const refused = [...listOpenRefusals(refusals), ...refusals.filter((one) => one.settled !== undefined)];
  return {
    ...(said === "" ? {} : { said: said.slice(-MOST_LAST_WORDS) }),
    ...(refused.length === 0 ? {} : { refused: refused.slice(0, MOST_REFUSALS) }),
    ...(promise === undefined ? {} : { promise }),
  };
}

/** Whether an attempt left a commit is known, whatever its agent reports: one that left none has used none. */
export function countCommits({ usage, commit }: Pick<AttemptResult, "usage" | "commit">): Usage {
  if (commit !== null) return usage;
  return { ...usage, amounts: { ...usage.amounts, commits: 0 }, counted: [...(usage.counted ?? []), "commits"] };
}

const NOTHING_YET: Usage = {
  amounts: { tokens: 0, cost_usd: 0, minutes: 0, files: 0, commits: 0, api_calls: 0 },
  source: "estimated",
};

const WAITS_FOR_A_PLACE = "waits: the project's other runs have all the tasks that may be worked on at once";

/** Nobody was started: that much is known, so it is not an estimate. */
const NOTHING_USED: Usage = { ...NOTHING_YET, source: "reported", counted: ["files", "cost_usd"] };

export function createAttempts(parts: AttemptParts) {
  const { runId, folder, records } = parts;
  /** The last usage that each attempt reported, for attempts that end without reporting it. */
  const used = new Map<string, Usage>();

  async function start(effect: StartEffect, signal: AbortSignal): Promise<RunEvent> {
    const { task_id, attempt } = effect;
    const waits = (note: string) =>
      parts.report({ type: "attempt_progressed", task_id, attempt, usage: NOTHING_YET, note });
    // An attempt that an earlier process began goes on by itself: it is supervised now, and not when a place is free.
    const goesOn =
      parts.elsewhere === undefined
        ? instancesOf(effectFolder(folder, effect.id)).length > 0
        : await parts.elsewhere.goesOn(effect.id);
    const leave = await parts.places?.take(signal, () => waits(WAITS_FOR_A_PLACE), goesOn);
    try {
      return await runAttempt(effect, goesOn, signal, waits);
    } finally {
      await leave?.();
    }
  }

  async function runAttempt(
    effect: StartEffect,
    goesOn: boolean,
    signal: AbortSignal,
    waits: (reason: string) => void,
  ): Promise<RunEvent> {
    const key = attemptKey(effect.task_id, effect.attempt);
    const { task_id, attempt } = effect;
    const held = goesOn ? null : parts.holdForData(effect);
    if (held !== null) return { type: "attempt_finished", task_id, attempt, outcome: held, usage: NOTHING_USED };
    if (!goesOn) await parts.untilMayBegin?.(effect, signal, waits);
    const onNote = listener(effect, key);
    const orderOf = () => parts.orderFor(effect);
    const end =
      parts.elsewhere === undefined
        ? await here(effect, await orderOf(), { signal, onNote })
        : await parts.elsewhere.run(effect, orderOf, { signal, onNote, waits });
    const { outcome, usage, told } = await endOf(end, key, effect);
    if (outcome.kind === "clarification") await parts.reroute(effect);
    return { type: "attempt_finished", task_id, attempt, outcome, usage, ...told };
  }

  function here(
    { id }: StartEffect,
    order: AttemptOrder,
    told: Pick<AdoptOptions, "signal" | "onNote">,
  ): Promise<EffectEnd> {
    const { spawnShim, clock } = parts;
    // A shim that died is a crashed attempt: whether there is another one, the failure policy says.
    return adoptOrVoid(effectFolder(folder, id), { order: shimOrder(order), spawnShim, limit: 1, clock, ...told });
  }

  async function endOf(
    end: EffectEnd,
    key: string,
    { task_id, attempt, reserved }: Pick<StartEffect, "task_id" | "attempt" | "reserved">,
  ): Promise<{
    outcome: AttemptOutcome;
    usage: Usage;
    told?: ReturnType<typeof finalReport> & Pick<EventOf<"attempt_finished">, "record">;
  }> {
    const said: Usage = used.get(key) ?? { amounts: reserved, source: "estimated" };
    // Only what an attempt leaves is taken over, and this one left nothing: that much is known of it.
    const amounts = { ...said.amounts, files: 0, commits: 0 };
    const unknown: Usage = { ...said, amounts, counted: ["files", "commits"] };
    const structural = (error: "timeout" | "crash", message: string) =>
      ({ outcome: { kind: "structural", error, message }, usage: unknown }) as const;
    switch (end.status) {
      case "done": {
        const result = AttemptResult.safeParse(end.value);
        if (!result.success) return structural("crash", "the attempt left a result that cannot be read");
        const { ref: record } = await records.write(attemptRecord(key), result.data);
        // Notes may get lost; what is in the log already is refused.
        for (const iteration of result.data.iterations)
          parts.report({ type: "iteration_finished", task_id, attempt, ...iteration });
        return {
          outcome: result.data.outcome,
          usage: countCommits(result.data),
          told: { ...finalReport(result.data), record },
        };
      }
      case "timed_out":
        return structural("timeout", "the attempt took longer than it may");
      case "crashed":
        return structural("crash", end.message);
      case "stopped":
        return { outcome: { kind: "cancelled" }, usage: unknown };
    }
  }

  /** The attempt uses more than it may: it is ended, and what it did so far is salvaged by anyone who cleans up. */
  async function stop(effect: StopEffect): Promise<RunEvent> {
    const { task_id, attempt, what, message } = effect;
    const key = attemptKey(task_id, attempt);
    const stopped = AbortSignal.abort();
    const base = effectFolder(folder, `attempt:${key}`);
    const order = { body: "attempt", input: null, limit_ms: 1000 };
    if (parts.elsewhere !== undefined) await parts.elsewhere.stop(`attempt:${key}`);
    else await adoptOrVoid(base, { order, spawnShim: parts.spawnShim, limit: 1, signal: stopped, clock: parts.clock });
    const usage = used.get(key) ?? NOTHING_YET;
    return { type: "attempt_finished", task_id, attempt, outcome: { kind: "resource", what, message }, usage };
  }

  function listener({ task_id, attempt }: StartEffect, key: string): (note: unknown) => void {
    const judged = new Set<string>();
    let told = "";
    return (note) => {
      const busy = readBusy(note);
      const usage = used.get(key) ?? NOTHING_YET;
      if (busy !== null) parts.report({ type: "attempt_progressed", task_id, attempt, usage, note: busy });
      const iteration = iterationIn(note);
      if (iteration !== null) parts.report({ type: "iteration_finished", task_id, attempt, ...iteration });
      const event = agentEventIn(note);
      if (event?.type === "usage") {
        used.set(key, event.usage);
        const now = JSON.stringify(event.usage);
        if (now !== told) parts.report({ type: "attempt_progressed", task_id, attempt, usage: event.usage, note: "" });
        told = now;
      }
      if (event?.type === "tool") {
        const { use, judgement } = event;
        // An agent tells of one use several times on its way; judged alike it is one event.
        const id = `${use.tool_call_id} ${use.stage} ${judgement.decision} ${judgement.rule_id}`;
        if (!judged.has(id)) parts.report({ type: "tool_judged", task_id, attempt, use, judgement });
        judged.add(id);
      }
    };
  }

  const resultOf = async (taskId: string, attempt: number): Promise<AttemptResult | null> => {
    const read = AttemptResult.safeParse(await records.read(attemptRecord(attemptKey(taskId, attempt))));
    return read.success ? read.data : null;
  };

  return { start, stop, resultOf, runId };
}
