import { join, relative, resolve } from "node:path";
import { z } from "zod";
import { readFile } from "../../foundation/files/read-files.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";
import type { KnownAdr, ReadRecord } from "./recognise-records.js";
import { writeWhole } from "../project/write-file.js";
import { jsonOrUndefined } from "../../foundation/documents/json-or-undefined.js";

/** What was accepted before anybody watched: nobody asked for it to be carried out now. */
const Before = z.discriminatedUnion("version", [
  z.strictObject({ version: z.literal(1), accepted: z.record(z.string(), z.string()) }),
  z.strictObject({
    version: z.literal(2),
    accepted: z.array(z.strictObject({ label: z.string(), file: z.string(), checksum: z.string() })),
  }),
]);
type Before = z.infer<typeof Before>;

/** The records that were accepted when somebody first watched; `records` are they when nobody did. */
export async function acceptedBefore(
  at: StateFolder,
  cwd: string,
  records: readonly ReadRecord[],
  all: boolean,
  warn: (message: string) => void,
): Promise<readonly KnownAdr[]> {
  const file = join(at.folder, "adr-watch.json");
  const text = await readFile(file, "utf8").catch(() => null);
  const read = text === null ? null : Before.safeParse(jsonOrUndefined(text));
  if (read?.success === true) return all ? [] : knownOf(read.data);
  if (read !== null) warn(`${file} cannot be read: what is accepted by now counts as accepted before.`);
  const accepted = (all ? [] : records).map(({ adr, checksum }) => ({
    label: adr.label,
    file: relative(at.root, resolve(cwd, adr.file)),
    checksum,
  }));
  const before: Before = { version: 2, accepted };
  makeStateFolder(at);
  await writeWhole(file, `${JSON.stringify(before, null, 2)}\n`);
  return knownOf(before);
}

function knownOf(before: Before): KnownAdr[] {
  if (before.version === 2) return before.accepted.map((one) => ({ ...one, run_id: null }));
  return Object.entries(before.accepted).map(([label, checksum]) => ({ label, file: null, checksum, run_id: null }));
}
