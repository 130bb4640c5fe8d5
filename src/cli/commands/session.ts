import { boardGuardrails } from "../../board/protect.js";
import type { GuardrailEntry } from "../../model/registry.js";
import { type BoardAt, boardAt, boardSettings, quietly } from "./board.js";

/** A process's work on a run, as the files for people see it. */
export interface WorkSession {
  /** What keeps the board's own files from agents. */
  readonly guardrails: readonly GuardrailEntry[];
  /** Leaves the handoff. Contract: called once nothing of the run is done any more. */
  readonly end: (stoppedByPerson: boolean) => Promise<void>;
  /** Nothing came of it: no work was begun, so there is nothing to hand over. */
  readonly giveUp: () => Promise<void>;
}

const nothing = async () => undefined;

/** Contract: the caller holds the store. A board that cannot be written stops no run. */
export async function beginSession(runId: string, place: BoardAt): Promise<WorkSession> {
  const board = boardAt(place);
  if (board === null) return { guardrails: [], end: nothing, giveUp: nothing };
  const last = await quietly(() => board.beginSession(runId), place.tell);
  if (last !== null) place.tell(`The last session left a handoff: ${last.path}`);
  const following = board.follow(runId);
  const settings = boardSettings(place.configuration, place.inForce);
  return {
    giveUp: following.stop,
    guardrails: settings === null ? [] : boardGuardrails(settings),
    end: async (stoppedByPerson) => {
      await following.stop();
      const notes = stoppedByPerson ? ["The session was stopped by a person."] : [];
      const left = await quietly(() => board.handOff(runId, "ended", notes), place.tell);
      await quietly(() => board.refresh(), place.tell);
      if (left !== null) place.tell(`Handoff: ${left.path}`);
    },
  };
}
