import type { RunEvent } from "../../../model/event.js";
import type { Amounts } from "../../../model/run.js";
import { NOTHING } from "../../run/amounts.js";
import { attemptKey, bookedAmounts, addSeenUsage } from "../../run/ledger.js";

/*
 * Usage by the log, and attempts that are under way, whether or not a budget carries them. The ledger of the
 * run differs in two cases: it holds nothing for an attempt that its budget does not carry, and at the end of the run it
 * books what was set aside for sessions of coordination.
 */

interface OpenAttempt {
  readonly task_id: string;
  readonly agent: string;
  readonly reserved: Amounts;
  readonly in_flight: Amounts;
}

export interface AttemptUsage {
  readonly used: { tokens: number; api_calls: number; cost_usd: number };
  /** By `task#attempt`, in the order they started. */
  readonly open: Map<string, OpenAttempt>;
  /** Attempts that have ended. An end of an attempt that is not open is an echo of one already counted. */
  ended: number;
}

export function newAttemptUsage(): AttemptUsage {
  return { used: { tokens: 0, api_calls: 0, cost_usd: 0 }, open: new Map(), ended: 0 };
}

export function isAttemptOpen({ open }: AttemptUsage, event: { task_id: string; attempt: number }): boolean {
  return open.has(attemptKey(event.task_id, event.attempt));
}

/** The task whose attempt has been under way longest; empty when none is. */
export function taskAtWork({ open }: AttemptUsage): string {
  const [first] = open.values();
  return first?.task_id ?? "";
}

/** Counts what an event says of usage. Most events say nothing of it. */
export function countUsage(usage: AttemptUsage, event: RunEvent): void {
  switch (event.type) {
    case "attempt_started": {
      const { task_id, attempt, agent, reserved } = event;
      usage.open.set(attemptKey(task_id, attempt), { task_id, agent, reserved, in_flight: NOTHING });
      return;
    }
    case "attempt_progressed": {
      const key = attemptKey(event.task_id, event.attempt);
      const opened = usage.open.get(key);
      if (opened !== undefined)
        usage.open.set(key, { ...opened, in_flight: addSeenUsage(opened.in_flight, event.usage) });
      return;
    }
    case "attempt_finished": {
      const key = attemptKey(event.task_id, event.attempt);
      const opened = usage.open.get(key);
      if (opened === undefined) return;
      usage.open.delete(key);
      usage.ended++;
      return add(usage, bookedAmounts(opened.reserved, event.usage, opened.in_flight));
    }
    case "coordination_used":
      return add(usage, { ...NOTHING, tokens: event.tokens, cost_usd: event.cost_usd });
    case "run_cancelled":
    case "run_finished":
      return settleOpen(usage);
    default:
      return;
  }
}

/** Books open attempts as far as their usage was seen or reserved. */
function settleOpen(usage: AttemptUsage): void {
  for (const { reserved, in_flight } of usage.open.values())
    add(usage, bookedAmounts(reserved, { amounts: in_flight, source: "estimated" }));
  usage.open.clear();
}

function add({ used }: AttemptUsage, { tokens, api_calls, cost_usd }: Amounts): void {
  used.tokens += tokens;
  used.api_calls += api_calls;
  used.cost_usd += cost_usd;
}
