import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { writeSynced } from "../../../foundation/files/durable.js";
import { readUpTo } from "../../../foundation/files/read-files.js";
import { mkdir, rename, rm } from "../../../foundation/files/write-files.js";
import type { Diagnostic } from "../../../model/diagnostic.js";
import { CoordinatorError } from "../../../model/errors.js";
import { stateDirectory } from "../../workspace/state-places.js";
import { isBelow } from "../../../foundation/files/is-below.js";
import { realPlace } from "./settings-reaches.js";

/*
 * Agreements of a person, kept outside of every repository: in their state directory, one file for each project by the
 * real path of its root. Where nobody can be asked, a file that an environment variable names lists trusted hashes.
 */

const AgreementRecord = z.strictObject({
  schema_version: z.literal("1.0.0"),
  root: z.string(),
  hash: z.string().nullable(),
  agreed_at: z.string(),
  agreed: z.array(z.strictObject({ id: z.string().regex(/^[0-9a-f]{64}$/), says: z.string() })).max(10_000),
});
export type AgreementRecord = z.infer<typeof AgreementRecord>;

export const TRUST_FILE = "COORDINATOR_TRUST_FILE";
const MOST_BYTES = 4 * 1024 * 1024;

/** Where the agreement to a project is kept; null where there is no place outside of the repository for it. */
export function agreementFile(root: string, env: NodeJS.ProcessEnv): string | null {
  const directory = stateDirectory(env);
  if (directory === null || isBelow(realPlace(directory), repositoryOf(root))) return null;
  return join(directory, "trust", `${createHash("sha256").update(root).digest("hex").slice(0, 32)}.json`);
}

/** Null when nobody has agreed to anything, and for a file that is none of ours. */
export async function readAgreement(root: string, env: NodeJS.ProcessEnv): Promise<AgreementRecord | null> {
  const file = agreementFile(root, env);
  const text = file === null ? null : await readRegular(file);
  if (text === null) return null;
  try {
    const read = AgreementRecord.safeParse(JSON.parse(text));
    return read.success && read.data.root === root ? read.data : null;
  } catch {
    return null;
  }
}

/** Contract: throws USAGE where there is no place for it, FILE_WRITE_FAILED where it cannot be written. */
export async function writeAgreement(record: AgreementRecord, env: NodeJS.ProcessEnv): Promise<string> {
  const file = agreementFile(record.root, env);
  if (file === null)
    throw new CoordinatorError("USAGE", "There is no place outside of the repository to remember what you agree to", {
      fix: "Set HOME or XDG_STATE_HOME to a folder outside of the repository.",
    });
  const next = `${file}.next`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeSynced(next, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    await rename(next, file);
    return file;
  } catch (cause) {
    await rm(next, { force: true }).catch(() => undefined);
    throw new CoordinatorError("FILE_WRITE_FAILED", `Cannot write ${file}: ${(cause as Error).message}`, {
      cause,
      fix: "Check that its folder can be written to and has room.",
    });
  }
}

/** Whether there was something to take back. */
export async function removeAgreement(root: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const file = agreementFile(root, env);
  if (file === null || !existsSync(file)) return false;
  await rm(file, { force: true });
  return true;
}

export interface TrustedHashes {
  readonly hashes: ReadonlySet<string>;
  readonly problems: readonly Diagnostic[];
}

/** The hashes of the file that `COORDINATOR_TRUST_FILE` names: one on each line, `#` begins a comment. */
export async function readTrustedHashes(root: string, env: NodeJS.ProcessEnv): Promise<TrustedHashes> {
  const named = env[TRUST_FILE] ?? "";
  if (named === "") return { hashes: new Set(), problems: [] };
  const file = resolve(named);
  const problem = (message: string, fix: string): TrustedHashes => ({
    hashes: new Set(),
    problems: [{ code: "DOCUMENT_INVALID", path: "", file, message, fix }],
  });
  const repository = repositoryOf(root);
  // Both by its name and by where it really lies: a link into the repository is the repository's, and so is one out of it.
  if (
    isBelow(file, repository) ||
    isBelow(realPlace(dirname(file)), repository) ||
    isBelow(realPlace(file), repository)
  )
    return problem(
      `is named by ${TRUST_FILE} and lies inside of the repository, which must not say itself that it is trusted`,
      "Keep the file outside of the repository.",
    );
  const text = await readRegular(file);
  if (text === null)
    return problem(`is named by ${TRUST_FILE} and is not a file that can be read`, "Name a plain file.");
  const lines = text.split("\n").map((line) => line.replace(/#.*$/, "").trim());
  return { hashes: new Set(lines.filter((line) => /^sha256:[0-9a-f]{64}$/.test(line))), problems: [] };
}

/** The folder of the repository a project stands in, or the project itself. */
function repositoryOf(root: string): string {
  for (let at = root; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return root;
  }
}

/** Null for what is not there, no plain file, or too large. A FIFO is not waited for. */
async function readRegular(file: string): Promise<string | null> {
  const bytes = await readUpTo(file, MOST_BYTES).catch(() => null);
  return bytes?.toString("utf8") ?? null;
}
