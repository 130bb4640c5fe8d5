import { rm } from "../../foundation/files/write-files.js";
import { crashPoint } from "../../foundation/processes/crash-points.js";
import { type Comparison, compare, type Pristine } from "./changes.js";
import { writeBlobs } from "./content.js";
import type { Finding } from "./finding.js";
import { type Given, withoutGiven } from "./given.js";
import { isAttributes } from "./gates/attributes.js";
import { IMPORT_LIMITS, type ImportLimits } from "./gates/gate-input.js";
import { gates } from "./gates/gates.js";
import { type BytePath, diffTrees, type RawChange, readBlobs, readTree, shownPath, type Tree } from "../git/records.js";
import { findIgnored } from "./ignored.js";
import { gitRefuses } from "./git-names.js";
import type { Quarantine } from "./quarantine.js";
import { type Survey, type SurveyEntry, survey } from "./watch/survey.js";
import { commitTree, updateIndex } from "./view.js";

/*
 * Taking over what an agent did. The agent's repository is not asked: what counts is which files are there now. They are
 * compared with the view, put onto the true base in an index of our own, judged by the gates, and only then committed
 * and fetched into the user's repository.
 */

/** One workspace as import and salvage see it. */
export interface Site {
  readonly quarantine: Quarantine;
  readonly path: string;
  readonly base: string;
  readonly viewCommit: string;
  readonly pristine: Pristine | null;
  /** Files that setup made in it. */
  readonly given: Given;
}

export interface ImportRequest {
  readonly write: readonly string[];
  readonly message: string;
  readonly author?: { readonly name: string; readonly email: string };
  readonly limits?: Partial<ImportLimits>;
}

export interface ChangedFile {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted" | "typechanged";
  /** After the change; that of before for a deletion. */
  readonly mode: string;
  readonly size: number;
  readonly binary: boolean;
}

export interface ChangeSet {
  readonly base: string;
  readonly tree: string;
  readonly files: readonly ChangedFile[];
}

export type ImportOutcome =
  | { readonly status: "unchanged"; readonly notices: readonly Finding[] }
  | {
      readonly status: "imported";
      readonly commit: string;
      readonly ref: string;
      readonly changes: ChangeSet;
      /** Findings that are not part of the change; they are kept when the workspace is salvaged. */
      readonly notices: readonly Finding[];
    }
  | {
      readonly status: "refused";
      readonly findings: readonly Finding[];
      /** Null when it was refused before a tree could be made. */
      readonly changes: ChangeSet | null;
      readonly notices: readonly Finding[];
    };

/** Contract: a refusal is a value. Throws WORKSPACE_FAILED for failed I/O. Calling it again replaces what it wrote. */
export async function importWorkspace(site: Site, ref: string, request: ImportRequest): Promise<ImportOutcome> {
  const limits = { ...IMPORT_LIMITS, ...request.limits };
  const found = await survey(site.path, [".git"]);
  try {
    return await importFound(site, ref, request, found, limits);
  } finally {
    found.close();
  }
}

async function importFound(
  site: Site,
  ref: string,
  request: ImportRequest,
  found: Survey,
  limits: ImportLimits,
): Promise<ImportOutcome> {
  const { quarantine, base } = site;
  const { git, gitDir } = quarantine;
  const view = await readTree(git, gitDir, site.viewCommit);
  const whole = await readTree(git, gitDir, base);
  const { entries, findings, notices } = await screen(site, found, view, whole, limits);
  if (findings.length > 0) return { status: "refused", findings, changes: null, notices };

  const differing = await compare(entries, view, quarantine.objectFormat, { view, pristine: site.pristine });
  const difference = withoutGiven(differing, site.given);
  if (difference.findings.length > 0)
    return { status: "refused", findings: difference.findings, changes: null, notices };
  if (difference.written.length === 0 && difference.deleted.length === 0) return { status: "unchanged", notices };
  const large = tooLarge(difference, limits);
  if (large.length > 0) return { status: "refused", findings: large, changes: null, notices };

  const tree = await treeOnBase(quarantine, base, difference);
  const raw = await diffTrees(git, gitDir, base, tree, limits.changedFiles + view.size);
  const changes = changeSet(base, tree, raw, difference);
  const refusals = await judge(quarantine, { whole, tree, raw, difference, request, limits });
  if (refusals.length > 0) return { status: "refused", findings: refusals, changes, notices };

  const commit = await commitTree(quarantine, tree, [base], request.message, request.author);
  await quarantine.keep(ref, commit);
  crashPoint("workspace.imported");
  const { refused } = await quarantine.publish([ref]);
  if (refused !== null) {
    await quarantine.forget([ref]);
    const detail = `git refused the new objects: ${refused}`;
    return { status: "refused", findings: [{ gate: "objects", path: "", detail }], changes, notices };
  }
  return { status: "imported", commit, ref, changes, notices };
}

/** Selects the files that may be read at all, before a single one is opened. */
async function screen({ quarantine, path, given }: Site, found: Survey, view: Tree, whole: Tree, limits: ImportLimits) {
  const findings: Finding[] = [...found.findings];
  const notices: Finding[] = [];
  const refuse = (gate: Finding["gate"], at: BytePath, detail: string) =>
    findings.push({ gate, path: shownPath(at), detail });
  // Git opens these by itself: a pipe would stop it and a huge one fill it.
  for (const { path: at, kind, size } of found.entries)
    if (/(^|\/)\.gitignore$/i.test(at) && (kind === "special" || size > 1024 * 1024))
      refuse(kind === "special" ? "special_file" : "too_large", at, "no file that git could read");
  if (findings.length > 0) return { entries: [], findings, notices };

  const isNested = below(found.nested);
  const isGiven = ({ path: at, stat }: SurveyEntry) => !view.has(at) && given.stats.get(at) === stat;
  const fresh = found.entries.filter((entry) => !view.has(entry.path) && !isGiven(entry));
  const nested = found.nested.filter((at) => !given.nested.has(at));
  const asked = [
    ...fresh.filter(({ path: at }) => !gitRefuses(shownPath(at), "file")).map(({ path: at }) => at),
    ...nested,
  ];
  const ignored = await findIgnored(quarantine, path, asked);
  for (const at of nested) {
    if (ignored.has(at))
      notices.push({
        gate: "nested_repository",
        path: shownPath(at),
        detail: "an ignored repository is not part of the change",
      });
    else refuse("nested_repository", at, "a repository inside of the workspace cannot be part of the change");
  }
  const isHidden = meets([...whole.keys()].filter((at) => !view.has(at)));
  const entries: SurveyEntry[] = [];
  let added = 0;
  let bytes = 0;
  for (const entry of found.entries) {
    const { path: at, kind, size } = entry;
    const known = view.has(at);
    if (isGiven(entry) || (!known && (ignored.has(at) || isNested(at)))) continue;
    if (kind === "special") {
      if (known) refuse("special_file", at, "a file was replaced by something that is neither a file nor a link");
      else
        notices.push({
          gate: "special_file",
          path: shownPath(at),
          detail: "neither a file nor a link: it cannot be part of a change",
        });
      continue;
    }
    if (gitRefuses(shownPath(at), kind)) refuse("name", at, "the name stands for a repository's own files");
    else if (!known && isHidden(at) && !given.contents.has(at))
      refuse("outside_view", at, "it would replace something the attempt was not given to read");
    else if (size > limits.fileBytes && !known)
      refuse("too_large", at, `${size} bytes are more than ${limits.fileBytes}`);
    else entries.push(entry);
    if (!known) {
      added++;
      bytes += size;
    }
  }
  if (added > limits.changedFiles) refuse("too_many", "", `${added} new files are more than ${limits.changedFiles}`);
  if (bytes > limits.totalBytes)
    refuse("too_large", "", `${bytes} bytes of new files are more than ${limits.totalBytes}`);
  return { entries, findings, notices };
}

/** Before a byte is handed to git: a file that was given may have grown to any size. */
function tooLarge({ written }: Comparison, limits: ImportLimits): Finding[] {
  const beyond = written.filter(({ content }) => content.size > limits.fileBytes);
  const bytes = written.reduce((sum, { content }) => sum + content.size, 0);
  const detail = (size: number, most: number) => `${size} bytes are more than ${most}`;
  return [
    ...beyond.map(({ entry, content }): Finding => ({
      gate: "too_large",
      path: shownPath(entry.path),
      detail: detail(content.size, limits.fileBytes),
    })),
    ...(bytes > limits.totalBytes
      ? [{ gate: "too_large" as const, path: "", detail: detail(bytes, limits.totalBytes) }]
      : []),
  ];
}

/** Whether a path lies in one of these folders. */
function below(folders: readonly BytePath[]): (path: BytePath) => boolean {
  const set = new Set(folders);
  return (path) => [...parents(path)].some((parent) => set.has(parent));
}

/** Whether a path is one of these, holds one of them or would lie below one. */
export function meets(paths: readonly BytePath[]): (path: BytePath) => boolean {
  const exact = new Set(paths);
  const folders = new Set(paths.flatMap((path) => [...parents(path)]));
  return (path) => exact.has(path) || folders.has(path) || [...parents(path)].some((parent) => exact.has(parent));
}

function* parents(path: BytePath): Generator<BytePath> {
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) yield path.slice(0, at);
}

/** The base with the difference put onto it: what was not in the view comes from the base, unchanged. */
export async function treeOnBase(
  quarantine: Quarantine,
  base: string,
  { written, deleted }: Pick<Comparison, "written" | "deleted">,
): Promise<string> {
  const { git, gitDir } = quarantine;
  await writeBlobs(
    git,
    gitDir,
    written.map(({ entry }) => entry),
  );
  const indexFile = quarantine.temporary("index");
  const none = "0".repeat(quarantine.objectFormat === "sha256" ? 64 : 40);
  try {
    await git.must("Reading the base", { gitDir, indexFile, args: ["read-tree", base] });
    await updateIndex(quarantine, indexFile, [
      ...deleted.map((path) => `0 ${none}\t${path}`),
      ...written.map(({ entry, content }) => `${content.mode} ${content.oid} 0\t${entry.path}`),
    ]);
    return (await git.must("Writing a tree", { gitDir, indexFile, args: ["write-tree"] })).toString("latin1").trim();
  } finally {
    await rm(indexFile, { force: true });
  }
}

interface Judged {
  readonly whole: Tree;
  readonly tree: string;
  readonly raw: readonly RawChange[];
  readonly difference: Comparison;
  readonly request: ImportRequest;
  readonly limits: ImportLimits;
}

async function judge(
  { git, gitDir }: Quarantine,
  { whole, tree, raw, difference, request, limits }: Judged,
): Promise<readonly Finding[]> {
  const now = await readTree(git, gitDir, tree, limits.treeEntries);
  const isLink = ({ mode }: { mode: string }) => mode === "120000";
  const links = raw.some(({ from, to }) => isLink(from) || isLink(to))
    ? [...whole.values(), ...now.values()].filter(isLink)
    : [];
  const attributes = raw.filter(({ path }) => isAttributes(shownPath(path))).flatMap(({ from, to }) => [from, to]);
  const roots = attributes.length === 0 ? [] : [whole, now].flatMap((each) => each.get(".gitattributes") ?? []);
  const wanted = [...links, ...attributes, ...roots].map(({ oid }) => oid).filter((oid) => !/^0+$/.test(oid));
  const contents = await readBlobs(git, gitDir, wanted, 64 * 1024 * 1024);
  const sizes = new Map(difference.written.map(({ entry, content }) => [entry.path, content.size]));
  return gates({ base: whole, tree: now, changes: raw, sizes, contents, write: request.write, limits });
}

const CHANGE: Readonly<Record<string, ChangedFile["change"]>> = { A: "added", D: "deleted", T: "typechanged" };

function changeSet(base: string, tree: string, raw: readonly RawChange[], { written }: Comparison): ChangeSet {
  const contents = new Map(written.map(({ entry, content }) => [entry.path, content]));
  const files = raw.map(({ path, status, from, to }): ChangedFile => {
    const content = contents.get(path);
    return {
      path: shownPath(path),
      change: CHANGE[status] ?? "modified",
      mode: status === "D" ? from.mode : to.mode,
      size: content?.size ?? 0,
      binary: content?.binary ?? false,
    };
  });
  return { base, tree, files };
}
