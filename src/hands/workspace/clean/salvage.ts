import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { crashPoint } from "../../../foundation/processes/crash-points.js";
import { compare } from "../changes.js";
import { contentOf, writeBlobs, writeText } from "../content.js";
import type { Finding } from "../finding.js";
import { withoutGiven } from "../given.js";
import { readTree, shownPath, type Tree, type TreeEntry } from "../../git/records.js";
import { meets, type Site, treeOnBase } from "../import.js";
import { gitRefuses } from "../git-names.js";
import { type Survey, type SurveyEntry, survey } from "../watch/survey.js";
import { commitTree, writeTree } from "../view.js";

/*
 * Keeping whatever an agent left behind before its workspace may go: tracked, untracked and ignored files, the files of
 * repositories inside of it, commits it made for itself. A file that fits into a tree on the base is there under its own path;
 * what git does not take under its own name is in a second commit, by number, with a list of what it was.
 */

export type SalvageOutcome =
  | { readonly status: "nothing" }
  | {
      readonly status: "saved";
      readonly ref: string;
      readonly commit: string;
      /** Where the ref is: git may refuse to take odd files into the user's repository, and the quarantine keeps them. */
      readonly kept_in: "repository" | "quarantine";
      readonly files: number;
      /** Pipes, sockets and the like: there is nothing in them to keep. */
      readonly notices: readonly Finding[];
    }
  /** INVARIANT: what could not be saved as a whole must not be removed. */
  | { readonly status: "incomplete"; readonly findings: readonly Finding[] };

/** The list in the second commit: what each numbered file was. Paths are base64 of their bytes. */
export const SalvageList = z.strictObject({
  version: z.literal(1),
  files: z.array(z.strictObject({ name: z.string(), path: z.string(), shown: z.string() })),
  special: z.array(z.string()),
  empty_folders: z.array(z.string()),
});

export const LIST_NAME = "LIST.json";
const LONGEST_PATH = 4096;

export interface SalvageRequest {
  readonly ref: string;
  /** The commit this workspace was imported as, when that is in the user's repository. */
  readonly imported: string | null;
  /** Files of the workspace's own repository that were there before the agent. */
  readonly gitFiles: readonly string[];
  readonly mostBytes: number;
}

/** Contract: throws WORKSPACE_FAILED for failed I/O; then nothing may be removed either. */
export async function salvageWorkspace(site: Site, request: SalvageRequest): Promise<SalvageOutcome> {
  const found = await survey(site.path, [".git"]);
  const own = request.imported === null ? await ownRepository(site.path, request.gitFiles) : null;
  try {
    const findings = [...found.findings, ...(own?.findings ?? [])];
    if (findings.length > 0) return { status: "incomplete", findings };
    return await salvageFound(site, request, found, own?.entries ?? []);
  } finally {
    found.close();
    own?.close();
  }
}

async function salvageFound(
  site: Site,
  request: SalvageRequest,
  found: Survey,
  own: readonly SurveyEntry[],
): Promise<SalvageOutcome> {
  const { quarantine, base } = site;
  const { git, gitDir, objectFormat } = quarantine;
  const view = await readTree(git, gitDir, site.viewCommit);
  const whole = await readTree(git, gitDir, base);
  const hidden = [...whole.keys()].filter((path) => !view.has(path));
  const reference = request.imported === null ? view : await importedView(site, request.imported, hidden);
  const isHidden = meets(hidden);
  const fits = ({ path, kind }: SurveyEntry) =>
    path.length <= LONGEST_PATH &&
    !gitRefuses(shownPath(path), kind === "symlink" ? "symlink" : "file") &&
    !isHidden(path);
  const real = found.entries.filter(
    ({ kind, path, stat }) => kind !== "special" && (view.has(path) || site.given.stats.get(path) !== stat),
  );
  const special = found.entries.filter(({ kind }) => kind === "special");
  const odd = [...real.filter((entry) => !fits(entry)), ...own];

  const fresh = bytesIn([...real.filter(({ path }) => !reference.has(path)), ...own]);
  if (fresh > request.mostBytes) return tooMuch(fresh, request.mostBytes);
  const differing = await compare(real.filter(fits), reference, objectFormat, { view, pristine: site.pristine });
  const difference = withoutGiven(differing, site.given);
  if (difference.findings.length > 0) return { status: "incomplete", findings: difference.findings };
  // Files that were given count only now that they are known to be different.
  const bytes = bytesIn([...difference.written.map(({ entry }) => entry), ...odd]);
  if (bytes > request.mostBytes) return tooMuch(bytes, request.mostBytes);
  const files = difference.written.length + odd.length;
  if (files === 0 && difference.deleted.length === 0 && special.length === 0) return { status: "nothing" };

  const onto = request.imported ?? base;
  const tree = await treeOnBase(quarantine, onto, difference);
  const list = {
    version: 1,
    special: special.map(({ path }) => shownPath(path)),
    empty_folders: found.empty.map(shownPath),
  } as const;
  const aside = await asideCommit(site, odd, list);
  if (aside === null)
    return {
      status: "incomplete",
      findings: [{ gate: "unreadable", path: "", detail: "a file with an odd name cannot be read" }],
    };
  const { ref, known } = await freeRef(site, request.ref, tree, aside);
  const commit = known ?? (await commitTree(quarantine, tree, [onto, aside], messageOf(ref, files)));
  await quarantine.keep(ref, commit);
  crashPoint("workspace.salvage_written");
  const { refused } = await quarantine.publish([ref]);
  const notices = special.map(({ path }): Finding => ({
    gate: "special_file",
    path: shownPath(path),
    detail: "there is nothing in it to keep",
  }));
  return {
    status: "saved",
    ref,
    commit,
    kept_in: refused === null ? "repository" : "quarantine",
    files,
    notices,
  };
}

const bytesIn = (entries: readonly SurveyEntry[]) => entries.reduce((sum, { size }) => sum + size, 0);

function tooMuch(bytes: number, most: number): SalvageOutcome {
  const detail = `${bytes} bytes are more than the ${most} that are salvaged`;
  return { status: "incomplete", findings: [{ gate: "too_large", path: "", detail }] };
}

/**
 * The ref for this salvage: the one asked for, or one beside it when that holds other work of an attempt of this name.
 * INVARIANT: no salvage replaces another. One that says the same is used again.
 */
async function freeRef({ quarantine }: Site, wanted: string, tree: string, aside: string) {
  const { git, gitDir } = quarantine;
  const folder = wanted.slice(0, wanted.lastIndexOf("/"));
  const taken = new Map([
    ...(await quarantine.refs("repository", folder)),
    ...(await quarantine.refs("quarantine", folder)),
  ]);
  const treeOf = async (revision: string) =>
    (await git.call({ gitDir, args: ["rev-parse", "--verify", "--quiet", `${revision}^{tree}`] })).stdout
      .toString("latin1")
      .trim();
  const asideTree = await treeOf(aside);
  for (let n = 1; ; n++) {
    const ref = n === 1 ? wanted : `${wanted}.${n}`;
    const known = taken.get(ref);
    if (known === undefined) return { ref, known: null };
    if ((await treeOf(known)) === tree && (await treeOf(`${known}^2`)) === asideTree) return { ref, known };
  }
}

/** The imported tree, less what the workspace never had. */
async function importedView({ quarantine }: Site, commit: string, hidden: readonly string[]): Promise<Tree> {
  const tree = await readTree(quarantine.git, quarantine.gitDir, commit);
  for (const path of hidden) tree.delete(path);
  return tree;
}

async function asideCommit(
  { quarantine }: Site,
  odd: readonly SurveyEntry[],
  list: Omit<z.infer<typeof SalvageList>, "files">,
): Promise<string | null> {
  const { git, gitDir, objectFormat } = quarantine;
  const entries = new Map<string, TreeEntry>();
  const files: z.infer<typeof SalvageList>["files"] = [];
  for (const [at, entry] of odd.entries()) {
    const content = await contentOf(entry, objectFormat);
    if (content === null) return null;
    const name = `files/${String(at).padStart(6, "0")}`;
    entries.set(name, content);
    files.push({ name, path: Buffer.from(entry.path, "latin1").toString("base64"), shown: shownPath(entry.path) });
  }
  await writeBlobs(git, gitDir, odd);
  const text = `${JSON.stringify(SalvageList.parse({ ...list, files }), null, 2)}\n`;
  entries.set(LIST_NAME, { mode: "100644", oid: await writeText(git, gitDir, text) });
  const tree = await writeTree(quarantine, entries, "aside");
  return commitTree(quarantine, tree, [], "Files that git does not take under their own names");
}

/** Commits and other work in the repository an agent had for itself: objects that are new, and the refs to them. */
async function ownRepository(path: string, before: readonly string[]): Promise<Survey | null> {
  const folder = join(path, ".git");
  if ((await lstat(folder).catch(() => null))?.isDirectory() !== true) return null;
  const found = await survey(folder, ["hooks", "modules"]);
  const known = new Set(before);
  const isObject = ({ path: at, kind }: SurveyEntry) => kind === "file" && at.startsWith("objects/") && !known.has(at);
  const names = /^(objects\/|refs\/|logs\/|packed-refs$|HEAD$)/;
  const kept = found.entries.some(isObject)
    ? found.entries.filter(
        (entry) =>
          isObject(entry) || (entry.kind === "file" && names.test(entry.path) && !entry.path.startsWith("objects/")),
      )
    : [];
  return { ...found, entries: kept.map((entry) => ({ ...entry, path: `.git/${entry.path}` })) };
}

function messageOf(ref: string, files: number): string {
  return [
    "Salvaged from a workspace",
    "",
    `${files} files differ from the base; ignored ones are among them.`,
    "The second parent holds what git does not take under its own name, with a list.",
    `Ref: ${ref}`,
    "",
  ].join("\n");
}
