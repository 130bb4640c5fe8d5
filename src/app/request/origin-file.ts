import { join } from "node:path";
import { readFile } from "../../foundation/files/read-files.js";
import { RequestOrigin } from "../../model/request-origin.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";
import { writeWhole } from "../project/write-file.js";

/** The file of a request, named by the checksum of its intent: a run of the plan finds it, wherever the plan is. */
function originFile({ folder }: StateFolder, intentChecksum: string): string {
  return join(folder, "requests", `${intentChecksum}.json`);
}

/** Reads the request before the plan in a folder; null for a plan that was not requested in words. */
export async function readOrigin(
  at: StateFolder,
  files: ReadonlyMap<string, { readonly text: string }>,
): Promise<RequestOrigin | null> {
  const checksum = checksumIn(files.get("inputs/intent.json")?.text ?? "");
  if (checksum === null) return null;
  const read = await readFile(originFile(at, checksum), "utf8").catch(() => null);
  if (read === null) return null;
  const opening = RequestOrigin.safeParse(JSON.parse(read));
  return opening.success && opening.data.intent_checksum === checksum ? opening.data : null;
}

function checksumIn(intent: string): string | null {
  try {
    const { audit } = JSON.parse(intent) as { audit?: { checksum?: unknown } };
    return typeof audit?.checksum === "string" && /^[0-9a-f]{64}$/.test(audit.checksum) ? audit.checksum : null;
  } catch {
    return null;
  }
}

export async function writeOrigin(at: StateFolder, opening: RequestOrigin): Promise<void> {
  makeStateFolder(at);
  await writeWhole(originFile(at, opening.intent_checksum), `${JSON.stringify(opening, null, 2)}\n`);
}
