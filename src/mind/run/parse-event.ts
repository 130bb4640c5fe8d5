import { type Diagnostic, diagnosticsOf } from "../../model/diagnostic.js";
import { RunEvent, type RunEventType } from "../../model/event.js";

/*
 * The door for events that come from outside the program: an answer typed by a person, a line of a file, a request to a
 * server. Events that the program makes itself are typed and are not parsed.
 */

export type ParsedEvent =
  | { readonly ok: true; readonly event: RunEvent }
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };

/** Contract: total. Anything at all goes in; what is not an event gives every problem with its place. */
export function parseRunEvent(value: unknown): ParsedEvent {
  try {
    const read = RunEvent.safeParse(value);
    return read.success
      ? { ok: true, event: read.data }
      : { ok: false, problems: diagnosticsOf(read.error, "DOCUMENT_INVALID") };
  } catch {
    // An object that throws when it is read is not an event either.
    return { ok: false, problems: [{ code: "DOCUMENT_INVALID", path: "", message: "cannot be read" }] };
  }
}

/** Events that people add to a run. Everything else is said by its hands, or follows by rule. */
const SIGNALS: ReadonlySet<RunEventType> = new Set([
  "plan_approved",
  "plan_rejected",
  "review_approved",
  "review_rejected",
  "question_answered",
  "scope_widened",
  "scope_refused",
  "escalation_answered",
  "budget_raised",
  "run_cancelled",
]);

/** An event a person may send. Contract: total; one that only the program says is refused, whatever it holds. */
export function parseSignal(value: unknown): ParsedEvent {
  const parsed = parseRunEvent(value);
  if (!parsed.ok || SIGNALS.has(parsed.event.type)) return parsed;
  const message = `${parsed.event.type} is not for people to say`;
  const fix = `Send one of ${[...SIGNALS].join(", ")}.`;
  return { ok: false, problems: [{ code: "DOCUMENT_INVALID", path: "type", message, fix }] };
}
