import { stringify } from "yaml";
import type { ContextDocument } from "../../model/routing.js";
import type { ProjectFiles } from "./detected-check.js";

/*
 * The first context registry of a project: documents that are known by where they stand, for people to correct. A document that is
 * listed and not given to a child is kept from it, so nothing is listed that only might be a document.
 */

/** A document with its kind, as far as its place says. */
export type DraftedDocument = Pick<ContextDocument, "ref" | "kind"> &
  Partial<Pick<ContextDocument, "title" | "status">>;

const PRINCIPLES = [/^(?:docs\/|doc\/)?(?:principles|vision|mission|values)\.md$/i];
const STANDARDS = [
  /^(?:AGENTS|CLAUDE|GEMINI|CONTRIBUTING)\.md$/i,
  /^\.github\/(?:copilot-instructions|CONTRIBUTING)\.md$/i,
  /^(?:docs\/|doc\/)?(?:code[-_]?style|style[-_]?guide|style|coding[-_]?standards?|conventions|standards?|contributing)\.md$/i,
  /^docs\/(?:standards|conventions)\/[^/]+\.md$/i,
];
/** Where a program begins: what a change of existing components most often has to know. */
const SOURCES =
  /^(?:src\/|lib\/|app\/|cmd\/[^/]+\/)?(?:index|main|app|server|cli|mod|lib|__main__|__init__)\.(?:ts|tsx|mts|js|mjs|cjs|py|go|rs|rb|java|kt|php)$/;

const FOLDERS = ["", "docs", "doc", "docs/standards", "docs/conventions", ".github", "src", "lib", "app"];

/** Contract: only reads names. Documents come in the order principles, standards, source, each by name. */
export async function findDocuments(files: Pick<ProjectFiles, "list">): Promise<DraftedDocument[]> {
  const paths: string[] = [];
  for (const folder of FOLDERS)
    for (const name of [...(await files.list(folder))].sort()) paths.push(folder === "" ? name : `${folder}/${name}`);
  const of = (kind: ContextDocument["kind"], isOne: (path: string) => boolean) =>
    paths.filter(isOne).map((ref): DraftedDocument => ({ ref, kind }));
  return [
    ...of("principles", (path) => PRINCIPLES.some((pattern) => pattern.test(path))),
    ...of("standard", (path) => STANDARDS.some((pattern) => pattern.test(path))),
    ...of("source", (path) => SOURCES.test(path)),
  ];
}

const HEAD = `# The documents of this project that matter to agents, as coordinator init found them. Correct it: add a domain or tags,
# so that a request is related to a document, and take out what is none. The routing policy decides for each request
# which of them are given. A document that is listed here and not given is in no workspace; source is only pointed to.
# No agent ever sees this file.`;

export function draftContext(documents: readonly DraftedDocument[]): string {
  return `${HEAD}\n${stringify(documents, { lineWidth: 0 })}`;
}
