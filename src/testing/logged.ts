import type { LoggedEvent, RunEvent } from "../model/event.js";

const START = Date.parse("2026-02-03T04:05:06.000Z");

/** Events as they stand in a log. The hashes are of the right form and chain nothing: nobody verifies such a log. */
export function logEvents(
  events: readonly { readonly event: RunEvent; readonly clock_ms: number }[],
  run_id = "run_of_a_test",
): LoggedEvent[] {
  return events.map(({ event, clock_ms }, i) => ({
    run_id,
    sequence: i + 1,
    at: new Date(START + clock_ms).toISOString(),
    clock_ms,
    event,
    previous_hash: "0".repeat(64),
    hash: "0".repeat(64),
  }));
}
