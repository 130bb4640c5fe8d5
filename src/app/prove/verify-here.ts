import { join } from "node:path";
import { describeWord } from "../../hands/settings/trust/reach.js";
import { withoutEffect } from "../../hands/settings/trust/trust-status.js";
import { openRecords, sharedRecords } from "../../hands/attempts/run-records.js";
import { verifyCommits } from "./verify-commits.js";
import { CoordinatorError } from "../../model/errors.js";
import { RunEvent } from "../../model/event.js";
import { type AnchorNotes, configuredAnchors, configuredNotes } from "./anchors.js";
import type { KeysSeen } from "./choose-key.js";
import type { LogFinding } from "./log-checks.js";
import { type PublicKey, publicKeyOf } from "../project/open-runs.js";
import { teamKeys } from "./team-keys.js";
import { knownKeys, memoryFolder, readRemembered, type RememberedRun } from "../project/remembered.js";
import type { Project } from "../project/project.js";
import type { StateFolder } from "../project/state-folder.js";
import type { PlanSeen } from "./verify-frozen-plan.js";
import { type CheckBeside, type LogVerification, verifyLog } from "./verify-log.js";
import { stateDirectory } from "../../hands/workspace/state-places.js";
import type { Reader } from "../inspect/runs-at.js";

export interface Given {
  /** From anyone who keeps the run; none where they are chosen among those that are known here. */
  readonly keys: readonly PublicKey[];
  readonly anchors: readonly AnchorNotes[];
  readonly plan?: PlanSeen;
}

/** Verify a run where it was carried out, with everything there is to hold it against. Contract: changes nothing. */
export async function verifyHere(
  reader: Reader,
  project: Project,
  runId: string,
  given: Given = { keys: [], anchors: [] },
): Promise<LogVerification> {
  const { at, environment } = project;
  // Named anchors count before configured ones: they may be copies from a protected place.
  const { anchors, notRead } =
    given.anchors.length > 0 ? { anchors: given.anchors, notRead: [] } : await anchorsHere(runId, project);
  const { keys, unreadable } = keysSeen(at, runId, environment);
  const records = openRecords(join(at.folder, "records", runId), sharedRecords(reader, runId));
  const own = keys.remembered?.key ?? keys.project;
  const counting = given.keys.length > 0 ? given.keys : [...(own === null ? [] : [own]), ...keys.team];
  const beside = await commitsBeside({
    runId,
    project,
    records,
    publicKeyPems: counting.map(({ pem }) => pem),
    events: () => readableEvents(reader, runId),
  });
  return verifyLog(reader, runId, {
    given: given.keys,
    keys,
    anchors,
    notRead,
    records: records.refNow,
    ...(given.plan === undefined ? {} : { plan: given.plan }),
    beside: [...unreadable, ...beside],
  });
}

/** Contract: a key or a memory that cannot be read is a finding, and not the end of verifying. */
function keysSeen(
  at: StateFolder,
  runId: string,
  environment: NodeJS.ProcessEnv,
): { readonly keys: KeysSeen; readonly unreadable: readonly CheckBeside[] } {
  const unreadable: CheckBeside[] = [];
  const orFinding = <T>(name: "key" | "memory", look: () => T): T | null => {
    try {
      return look();
    } catch (error) {
      if (!(error instanceof CoordinatorError)) throw error;
      const { message } = error;
      const findings: LogFinding[] = [{ kind: "key", sequence: 0, message }];
      unreadable.push({ check: { name, passed: false, detail: message }, findings, unproven: [] });
      return null;
    }
  };
  const memory = memoryFolder(at, stateDirectory(environment));
  const project = orFinding("key", () => publicKeyOf(at));
  const remembered = orFinding("memory", (): RememberedRun | null =>
    memory === null ? null : readRemembered(memory, runId),
  );
  const team = orFinding("key", () => teamKeys(environment)) ?? [];
  return { keys: { project, remembered, known: memory === null ? [] : knownKeys(memory), team }, unreadable };
}

async function commitsBeside(request: Parameters<typeof verifyCommits>[0]): Promise<readonly CheckBeside[]> {
  const { commits, moved, statements, forged, unproven } = await verifyCommits(request);
  return [
    { check: { name: "commits", ...commits }, findings: moved, unproven },
    ...(statements === null
      ? []
      : [{ check: { name: "statement" as const, ...statements }, findings: forged, unproven: [] }]),
  ];
}

const ABOUT_COMMITS: ReadonlySet<unknown> = new Set<RunEvent["type"]>([
  "attempt_finished",
  "integration_finished",
  "run_cancelled",
  "run_finished",
  "run_merged",
]);

/** The events that commits are read from. Other entries are skipped: the chain and the fold report them. */
async function* readableEvents(reader: Reader, runId: string) {
  for await (const { event, sequence } of reader.entries(runId)) {
    if (!ABOUT_COMMITS.has((event as { readonly type?: unknown } | null)?.type)) continue;
    const read = RunEvent.safeParse(event);
    if (read.success) yield { event: read.data, sequence };
  }
}

/** Contract: settings that are wrong, or that nobody agreed to, are not a reason not to verify; the message names them. */
async function anchorsHere(
  runId: string,
  project: Project,
): Promise<{ readonly anchors: readonly AnchorNotes[]; readonly notRead: readonly string[] }> {
  const { configuration, problems, trust } = await project.settings();
  const waiting = withoutEffect(trust).filter(({ kind }) => kind === "anchor");
  return {
    anchors: await configuredNotes(configuredAnchors(configuration.record, project), runId, project),
    notRead: [
      ...waiting.map(
        ({ name }) =>
          `The anchor ${describeWord(name)} of the project was not read, because you have not agreed to it: coordinator trust shows it and asks.`,
      ),
      ...(problems.length === 0
        ? []
        : ["The settings have problems, so no anchor that they name was read: coordinator doctor shows them."]),
    ],
  };
}
