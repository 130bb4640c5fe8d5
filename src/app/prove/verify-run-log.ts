import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { projectPathOf } from "../../foundation/files/project-bounds.js";
import { readFile } from "../../foundation/files/read-files.js";
import { CoordinatorError } from "../../model/errors.js";
import { openRecords, PLAN_RECORD, type RunRecords } from "../../hands/attempts/run-records.js";
import { type AnchorNotes, anchorNotes } from "./anchors.js";
import { findRun } from "../inspect/find.js";
import { keyOfPem, type PublicKey } from "../project/open-runs.js";
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
  /** A file with the public key, from anyone who keeps the run. */
  readonly key: string | undefined;
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
    const key = await givenKey(args.key, cwd);
    const anchors = await allAnchors(args, runId, at.root);
    const plan = await planOf(openRecords(join(at.folder, "records", runId)), verifyPlan);
    return verifiedReport(null, await verifyHere(reader, project, runId, { key, anchors, plan }));
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
  const given = await givenKey(args.key, cwd);
  const own =
    tape.public_key === null ? null : (keyOfPem(tape.public_key) ?? { pem: tape.public_key, id: "unreadable" });
  const anchors = await allAnchors(args, tape.run_id, cwd);
  const verification = await verifyLog(tapeReader(tape), tape.run_id, {
    key: given ?? own,
    keyIsTheirs: given === null,
    anchors,
  });
  const findings = [...tapeFindings(tape), ...verification.findings];
  return verifiedReport(file, { ...verification, findings, passed: findings.length === 0 });
}

async function givenKey(file: string | undefined, cwd: string): Promise<PublicKey | null> {
  if (file === undefined) return null;
  const text = await readFile(resolve(cwd, file), "utf8").catch((cause: unknown) => {
    throw new CoordinatorError("FILE_NOT_FOUND", `The key ${file} cannot be read`, { cause });
  });
  const key = keyOfPem(text);
  if (key !== null) return key;
  throw new CoordinatorError("DOCUMENT_INVALID", `${file} holds no ed25519 public key`, {
    fix: "It is the public_key of an exported tape, as PEM.",
  });
}

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
