import { join, relative } from "node:path";
import { type DraftedDocument, draftContext, findDocuments } from "../../hands/settings/draft-context.js";
import type { AdrStatus } from "../../model/adr.js";
import { CONTEXT_FILES, type ContextDocument } from "../../model/routing.js";
import { readAdr, siblingsReader } from "../adr/adr-check.js";
import { findRecordFiles } from "../adr/adr-files.js";
import { projectFiles } from "../project/project-files.js";
import { writeNew } from "../project/write-file.js";

/* The first context registry, written by `init` where a project has none. */

/** Where it was written; null where there is one already, and where nothing was found. */
export async function starterContext(root: string): Promise<string | null> {
  const files = projectFiles(root);
  const there = await files.list("governance");
  if (CONTEXT_FILES.some((file) => there.includes(file.replace("governance/", "")))) return null;
  const [principles, others] = splitByKind(await findDocuments(files));
  const documents = [...principles, ...(await recordsIn(root)), ...others];
  if (documents.length === 0) return null;
  const [file] = CONTEXT_FILES;
  return (await writeNew(join(root, file), draftContext(documents))) ? join(root, file) : null;
}

function splitByKind(documents: readonly DraftedDocument[]): [DraftedDocument[], DraftedDocument[]] {
  const isFirst = ({ kind }: DraftedDocument) => kind === "principles";
  return [documents.filter(isFirst), documents.filter((document) => !isFirst(document))];
}

const STATUS: Readonly<Record<AdrStatus, ContextDocument["status"]>> = {
  proposed: "proposed",
  accepted: "active",
  rejected: "rejected",
  deprecated: "deprecated",
  superseded: "superseded",
};

/** The decision records of a folder that is known for them, with the status each has. */
async function recordsIn(root: string): Promise<DraftedDocument[]> {
  const { folders, files } = await findRecordFiles(root, root);
  // Without such a folder every Markdown file is looked at, and most of them are not records.
  if (folders.length === 1 && folders[0] === root) return [];
  const siblings = siblingsReader(root);
  const found: DraftedDocument[] = [];
  for (const file of files) {
    const record = await readAdr(file, root, siblings);
    if (!record.ok) continue;
    const { title, status } = record.adr;
    found.push({
      ref: relative(root, file),
      kind: "adr",
      ...(title === null ? {} : { title: title.slice(0, 300) }),
      ...(status === null ? {} : { status: STATUS[status] }),
    });
  }
  return found;
}
