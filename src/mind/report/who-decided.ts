import type { RunEvent } from "../../model/event.js";
import type { Decider } from "../../model/run.js";

/** Who decided what an event says; null for what nobody decided. Contract: pure. */
export function whoDecided(event: RunEvent): Decider | null {
  return "decider" in event ? (event.decider as Decider) : null;
}
