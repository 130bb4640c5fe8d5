import { boardGuardrails } from "../../hands/board/protect.js";
import type { GuardrailEntry } from "../../model/plan/registry.js";
import type { ToldRun } from "../notify/notifier.js";
import { boardAt, boardSettings, warnInstead } from "../inspect/board.js";
import { beginRecord, type RecordContext } from "../prove/record.js";

/** A process's work on a run, as the files for people see it. */
export interface WorkSession {
  /** Guardrails that keep the board's own files from agents. */
  readonly guardrails: readonly GuardrailEntry[];
  /** The run is live: anyone who is to be told of it is, from here on. */
  readonly bind: (run: ToldRun) => void;
  /** Leaves the handoff. Contract: called once nothing of the run is done any more. */
  readonly end: (stoppedByPerson: boolean) => Promise<void>;
  /** Nothing came of it: no work was begun, so there is nothing to hand over. */
  readonly giveUp: () => Promise<void>;
}

/** Contract: the caller holds the store. A board that cannot be written stops no run. */
export async function beginSession(runId: string, place: RecordContext): Promise<WorkSession> {
  const { progress: tell, warn } = place.context;
  const board = boardAt(place, place.store);
  const { bind, stop } = beginRecord(runId, place);
  if (board === null) return { guardrails: [], bind, end: stop, giveUp: stop };
  const last = await warnInstead(() => board.beginSession(runId), warn);
  if (last !== null) tell(`The last session left a handoff: ${last.path}`);
  const following = board.follow(runId);
  const settings = boardSettings(place.configuration, place.inForce);
  return {
    bind,
    giveUp: async () => {
      await following.stop();
      await stop();
    },
    guardrails: settings === null ? [] : boardGuardrails(settings),
    end: async (stoppedByPerson) => {
      await following.stop();
      await stop();
      const notes = stoppedByPerson ? ["The session was stopped by a person."] : [];
      const left = await warnInstead(() => board.handOff(runId, "ended", notes), warn);
      await warnInstead(() => board.refresh(), warn);
      if (left !== null) tell(`Handoff: ${left.path}`);
    },
  };
}
