import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { projectPathOf } from "../../foundation/files/project-bounds.js";
import { readFile } from "../../foundation/files/read-files.js";
import { CoordinatorError } from "../../model/errors.js";
import { openRecords, PLAN_RECORD, type RunRecords } from "../../hands/attempts/run-records.js";
import { type AnchorNotes, anchorNotes } from "./anchors.js";
import { findRun } from "../inspect/find.js";
import { keyOfPem, type PublicKey } from "../project/open-runs.js";
import { keysAt } from "./team-keys.js";
import type { PlanVerification } from "../../mind/plan/verify-plan.js";
import type { PlanSeen } from "./verify-frozen-plan.js";
import { readTape } from "./tape.js";
import { tapeFindings, tapeReader } from "./tape-reader.js";
import { type LogVerification, verifyLog } from "./verify-log.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { withRuns } from "../inspect/runs-at.js";
import { verifyHere } from "./verify-here.js";

export interface VerifyLogArguments {
  readonly anchors: readonly string[];
  /** Files with public keys, or folders of them, from those who keep the run. */
  readonly keys: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

export function verifyRunLog(
  wanted: string,
  args: VerifyLogArguments,
  { cwd, project }: CommandContext,
  verifyPlan: (folder: string) => Promise<PlanVerification>,
): Promise<Finished> {
  return withRuns(project, async (reader, at) => {
    const runId = await findRun(reader, wanted);
    const keys = givenKeys(args.keys, cwd);
    const anchors = await allAnchors(args, runId, at.root);
    const plan = await planOf(openRecords(join(at.folder, "records", runId)), verifyPlan);
    return verifiedReport(null, await verifyHere(reader, project, runId, { keys, anchors, plan }));
  });
}

/** Contract: a folder that is gone, or is not a folder, is reported as such; one that cannot be read is not. */
async function planOf(records: RunRecords, verify: (folder: string) => Promise<PlanVerification>): Promise<PlanSeen> {
  const { folder } = ((await records.read(PLAN_RECORD).catch(() => null)) ?? {}) as { readonly folder?: unknown };
  if (typeof folder !== "string") return { status: "unknown" };
  // The record may come from a clone: outside of the project, nothing is put in order to find a plan.
  if (projectPathOf(folder) === null && !existsSync(join(folder, "manifest.json"))) return { status: "gone", folder };
  try {
    const { passed, checks, manifest } = await verify(folder);
    const problem = passed ? null : (checks.find((check) => !check.passed)?.detail ?? "it does not verify");
    return { status: "found", folder, plan_checksum: manifest?.plan_checksum ?? null, problem };
  } catch (error) {
    if (!(error instanceof CoordinatorError) || error.code !== "PLAN_NOT_FOUND") throw error;
    return { status: "gone", folder };
  }
}

export async function verifyTape(file: string, args: VerifyLogArguments, { cwd }: CommandContext): Promise<Finished> {
  const read = readTape(await readFile(resolve(cwd, file), "utf8"));
  if (!read.ok)
    throw new CoordinatorError("DOCUMENT_INVALID", `${file} is not a tape: line ${read.line} ${read.problem}`, {
      fix: "Name a file that `coordinator export` wrote.",
    });
  const { tape } = read;
  const given = givenKeys(args.keys, cwd);
  const own =
    tape.public_key === null ? null : (keyOfPem(tape.public_key) ?? { pem: tape.public_key, id: "unreadable" });
  const anchors = await allAnchors(args, tape.run_id, cwd);
  const verification = await verifyLog(tapeReader(tape), tape.run_id, {
    given: given.length > 0 || own === null ? given : [own],
    keyIsTheirs: given.length === 0,
    anchors,
  });
  const findings = [...tapeFindings(tape), ...verification.findings];
  return verifiedReport(file, { ...verification, findings, passed: findings.length === 0 });
}

const givenKeys = (places: readonly string[], cwd: string): readonly PublicKey[] =>
  places.flatMap((place) => keysAt(resolve(cwd, place)));

function allAnchors(
  { anchors, environment }: VerifyLogArguments,
  runId: string,
  root: string,
): Promise<readonly AnchorNotes[]> {
  return Promise.all(anchors.map((where) => anchorNotes(where, runId, root, environment)));
}

function verifiedReport(file: string | null, verification: LogVerification): Finished {
  return finish(verification.passed ? EXIT.done : EXIT.unverified, { type: "run_verification", file, verification });
}
