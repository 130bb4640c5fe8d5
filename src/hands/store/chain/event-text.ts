import type { EventOf, RunEvent } from "../../../model/event.js";
import type { Amounts } from "../../../model/run.js";
import { canonicalJson } from "../../../foundation/canonical-json/canonical.js";

/*
 * The canonical JSON of an event. Of the events that every task has, the keys are known, so their texts are written in
 * one piece: nothing is sorted, and no text is made of parts that live until it is hashed.
 */

/** Contract: canonicalJson(event), to the byte; throws where that does. */
export function eventText(event: RunEvent): string {
  switch (event.type) {
    case "attempt_started":
      if (!hasOnly(event, STARTED) || !hasOnly(event.reserved, AMOUNTS)) break;
      return `{"agent":${scalar(event.agent)},"attempt":${scalar(event.attempt)},"reserved":${amounts(event.reserved)},"task_id":${scalar(event.task_id)},"type":"attempt_started"}`;
    case "attempt_finished":
      if (!hasOnly(event, FINISHED) || !hasOnly(event.usage, USAGE) || !hasOnly(event.usage.amounts, AMOUNTS)) break;
      return `{"attempt":${scalar(event.attempt)},"outcome":${outcomeText(event.outcome)},"task_id":${scalar(event.task_id)},"type":"attempt_finished","usage":{"amounts":${amounts(event.usage.amounts)},"source":${scalar(event.usage.source)}}}`;
    case "verification_finished":
      if (!hasOnly(event, VERIFIED)) break;
      return `{"attempt":${scalar(event.attempt)},"evidence":${scalar(event.evidence)},"task_id":${scalar(event.task_id)},"type":"verification_finished","verdict":${scalar(event.verdict)}}`;
    case "integration_finished":
      if (!hasOnly(event, INTEGRATED)) break;
      return `{"attempt":${scalar(event.attempt)},"integrated":${scalar(event.integrated)},"ref":${scalar(event.ref)},"task_id":${scalar(event.task_id)},"type":"integration_finished"}`;
    case "review_finished":
      if (!hasOnly(event, REVIEWED)) break;
      return `{"accepted":${scalar(event.accepted)},"attempt":${scalar(event.attempt)},"summary":${scalar(event.summary)},"task_id":${scalar(event.task_id)},"type":"review_finished"}`;
    default:
  }
  return canonicalJson(event);
}

const STARTED = new Set(["agent", "attempt", "reserved", "task_id", "type"]);
const FINISHED = new Set(["attempt", "outcome", "task_id", "type", "usage"]);
const COMPLETED = new Set(["kind", "output_ref"]);
const USAGE = new Set(["amounts", "source"]);
const AMOUNTS = new Set(["api_calls", "commits", "cost_usd", "files", "minutes", "tokens"]);
const VERIFIED = new Set(["attempt", "evidence", "task_id", "type", "verdict"]);
const INTEGRATED = new Set(["attempt", "integrated", "ref", "task_id", "type"]);
const REVIEWED = new Set(["accepted", "attempt", "summary", "task_id", "type"]);

/** Whether an object has these keys, each with a value, and no other: what has more, or less, is written the long way. */
function hasOnly(value: object, keys: ReadonlySet<string>): boolean {
  let found = 0;
  for (const key in value) {
    if (!keys.has(key) || (value as Record<string, unknown>)[key] === undefined) return false;
    found++;
  }
  return found === keys.size;
}

function amounts({ api_calls, commits, cost_usd, files, minutes, tokens }: Amounts): string {
  return `{"api_calls":${scalar(api_calls)},"commits":${scalar(commits)},"cost_usd":${scalar(cost_usd)},"files":${scalar(files)},"minutes":${scalar(minutes)},"tokens":${scalar(tokens)}}`;
}

/** Most attempts are completed. */
function outcomeText(outcome: EventOf<"attempt_finished">["outcome"]): string {
  return outcome.kind === "completed" && hasOnly(outcome, COMPLETED)
    ? `{"kind":"completed","output_ref":${scalar(outcome.output_ref)}}`
    : canonicalJson(outcome);
}

/** Printable ASCII that needs no quoting. */
const PLAIN = /^[ !#-[\]-~]*$/;

function scalar(value: string | number | boolean): string {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value === "string" && value.length < 64 && PLAIN.test(value)) return `"${value}"`;
  return canonicalJson(value);
}
