import { basename } from "node:path";
import { isPermitted } from "../../mind/contract/permit.js";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { configuredAnchors, memoryPlace } from "./anchors.js";
import { anchorRun, followAnchors } from "./keep-anchors.js";
import { followNotices, type NotifierParts, notifyNow, type ToldRun } from "../notify/notifier.js";
import { holderHere, holderOf, openRuns, publicKeyOf } from "../project/open-runs.js";
import { memoryFolder, rememberKey } from "../project/remembered.js";
import type { StateFolder } from "../project/state-folder.js";
import { stateDirectory } from "../../hands/workspace/state-places.js";
import type { CommandContext } from "../command-context.js";
import { type BoardContext, boardAt, warnInstead } from "../inspect/board.js";
import type { RunContext } from "../run/run-arguments.js";

/*
 * Outputs that follow a run beside its log: anchors of its checkpoints, notifications of people, and the files for
 * people. None of them can fail a run; their errors are reported.
 */

export type RecordContext = BoardContext & Pick<RunContext, "store">;

/** The record of a run for as long as this process works on it. */
export interface LiveRecord {
  /** From here on people are notified. */
  readonly bind: (run: ToldRun) => void;
  /** Contract: called once nothing of the run is done any more, before the store is closed. */
  readonly stop: () => Promise<void>;
}

export function beginRecord(runId: string, place: RecordContext): LiveRecord {
  const { context, store } = place;
  const { project, warn } = context;
  const places = [...memoryOf(place), ...anchorsOf(place)];
  const anchors = followAnchors({
    root: project.root,
    environment: project.environment,
    reader: store,
    runId,
    places,
    warn,
  });
  const telling = notifierOf(runId, place);
  let notices: { readonly stop: () => Promise<void> } | null = null;
  return {
    bind: (run) => {
      if (telling !== null) notices = followNotices(telling, run);
    },
    stop: async () => {
      await notices?.stop();
      // Last, because notifications are part of the log.
      await anchors.stop();
    },
  };
}

/** Everything once, for a run nobody works on. Contract: never rejects. */
export async function bringUpToDate(runId: string, place: RecordContext): Promise<void> {
  const { context, store } = place;
  const { project, warn } = context;
  const telling = notifierOf(runId, place);
  if (telling !== null) await notifyNow(telling);
  for (const where of [...memoryOf(place), ...anchorsOf(place)]) {
    const { problem } = await anchorRun(store, runId, where, project);
    if (problem !== null) warn(`${runId} is not anchored at ${where}: ${problem}`);
  }
  await warnInstead(async () => boardAt(place, store)?.refresh(), warn);
}

/**
 * Updates them after a person has decided something about a run.
 *
 * Contract: never rejects. A process that carries out the run brings everything up to date by itself.
 */
export async function afterEffect(at: StateFolder, runId: string, context: CommandContext): Promise<void> {
  const { project, warn, approved } = context;
  try {
    const { configuration, problems } = await project.settings();
    if (problems.length > 0)
      return warn(`${at.root} has settings that are wrong: the board and anchors are not up to date`);
    if ((await holderHere(at, runId)) !== null) return;
    const inForce = await project.contractInForce(approved);
    const store = await openRuns(at);
    const place = { context, store, configuration, inForce };
    try {
      if ((await holderOf(store, runId)) === null) await bringUpToDate(runId, place);
    } finally {
      await store.close();
    }
  } catch (error) {
    warn(`The board, anchors and notices of ${runId} are not up to date: ${(error as Error).message}`);
  }
}

function anchorsOf({ context: { project, warn }, configuration, inForce }: RecordContext): readonly string[] {
  const places = configuredAnchors(configuration.record, project);
  if (places.length === 0 || isPermitted(inForce, "anchor_run")) return places;
  warn("No anchors are written: the contract does not allow anchor_run without approval");
  return [];
}

/**
 * Where this machine remembers the run outside of the project; the project's key is remembered with it.
 *
 * Contract: never throws. None where the person's account has no folder for state.
 */
function memoryOf({ context }: RecordContext): readonly string[] {
  const { parts, project, warn } = context;
  const { at, environment } = project;
  const memory = memoryFolder(at, stateDirectory(environment));
  const key = publicKeyOf(at);
  if (memory === null || key === null) return [];
  try {
    const before = rememberKey(memory, key, parts.now());
    if (before !== null)
      warn(
        `The project has the signing key ${key.id} now; since ${before.first_seen} it had ${before.key_id}. ` +
          "If you did not exchange it, somebody else did: coordinator verify checks the runs signed before.",
      );
  } catch (error) {
    warn(`This machine does not remember the project's key: ${(error as Error).message}`);
  }
  return [memoryPlace(memory)];
}

function notifierOf(runId: string, place: RecordContext): NotifierParts | null {
  const { context, store, configuration, inForce } = place;
  const { parts, warn } = context;
  const { root, environment } = context.project;
  const { notify: settings } = configuration;
  if (settings === undefined) return null;
  if (!isPermitted(inForce, "notify_person")) {
    warn("No notifications are sent: the contract does not allow notify_person without approval");
    return null;
  }
  const project = configuration.project ?? basename(root);
  return { store, runId, settings, project, environment, now: parts.now, clean: withoutSecrets, warn };
}
