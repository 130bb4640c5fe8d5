import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { readDocument } from "../../foundation/documents/read-document.js";
import { CoordinatorError } from "../../model/errors.js";
import type { Fact } from "../../model/settings/packs.js";
import { isNearestCheckout } from "../git/is-nearest-checkout.js";
import { gitIn, type Git } from "./git.js";
import { listFiles, type Listing } from "./list-files.js";
import { CI_FILES, LANGUAGES, LOCKFILES, MANIFESTS, MIGRATION_FILES, SHARED_MANIFESTS, TEST_FILES } from "./signs.js";

export interface Collected {
  readonly seen: Readonly<Record<string, Fact>>;
  /** Every fact that was looked for. One that is not among the seen ones could not be determined. */
  readonly looked: ReadonlySet<string>;
}

type Look = (at: {
  repo: string;
  git: Git;
  listing: Listing;
  own: readonly string[];
}) => Promise<Fact | null> | Fact | null;

/** One entry for each fact of the registry that can be seen in a repository. */
const LOOKS: Readonly<Record<string, Look>> = {
  has_tests: ({ listing }) => presence(listing, TEST_FILES),
  ci_configured: ({ listing }) => {
    // A pipeline may be kept elsewhere: that none is here does not say that there is none.
    const found = listing.files.find((file) => CI_FILES.test(file));
    return found === undefined ? null : fact(true, `repo://${found}`);
  },
  has_migrations: ({ listing }) => presence(listing, MIGRATION_FILES),
  has_lockfile: ({ listing }) => {
    const found = listing.files.find((file) => nameOf(file) in LOCKFILES);
    if (found !== undefined) return fact(true, `repo://${found}`);
    return managersOf(listing).length === 0 || listing.cut ? null : fact(false, listing.evidence);
  },
  languages: ({ listing }) => {
    const found = new Set(listing.files.flatMap((file) => LANGUAGES[extensionOf(file)] ?? []));
    return found.size === 0 ? null : fact([...found].sort(), listing.evidence);
  },
  package_managers: ({ listing }) => {
    const managers = managersOf(listing);
    return managers.length === 0 ? null : fact(managers, listing.evidence);
  },
  default_branch: ({ git }) => defaultBranch(git),
  current_branch: async ({ git }) => {
    const branch = (await git("symbolic-ref", "--quiet", "--short", "HEAD"))?.trim();
    return branch === undefined || branch === "" ? null : fact(branch, "git://HEAD");
  },
  working_tree_clean: ({ repo, git, own }) => workingTreeClean(repo, git, own),
  coverage_percent: ({ repo }) => coverage(repo),
};

/**
 * See what can be seen of a project: files by their names, branches and changes through git.
 *
 * `own` are the files that the Coordinator itself writes there, as globs from `repo`: that they have
 * changed is nobody's uncommitted work.
 *
 * Contract: nothing in the repository is changed or run. An unknown fact is left out, never guessed.
 */
export async function collectFacts(
  repo: string,
  environment: NodeJS.ProcessEnv = process.env,
  own: readonly string[] = [],
): Promise<Collected> {
  const found = await stat(repo).catch(() => null);
  if (found?.isDirectory() !== true)
    throw new CoordinatorError("FILE_NOT_FOUND", `There is no directory ${repo} to look at.`, {
      fix: "Name the repository with --repo DIR.",
    });
  const git = gitIn(repo, environment);
  const listing = await listFiles(repo, git);
  const seen: Record<string, Fact> = {};
  for (const [name, look] of Object.entries(LOOKS)) {
    const value = await look({ repo, git, listing, own });
    if (value !== null) seen[name] = value;
  }
  return { seen, looked: new Set(Object.keys(LOOKS)) };
}

function fact(value: Fact["value"], evidence_ref: string): Fact {
  // Evidence is bounded; a path longer than that is still told apart by its beginning.
  return { value, evidence_ref: evidence_ref.slice(0, 500) };
}

/** Whether any file is of this kind. With no file to look at, or not all of them, "none" would be a guess. */
function presence({ files, evidence, cut }: Listing, pattern: RegExp): Fact | null {
  const found = files.find((file) => pattern.test(file));
  if (found !== undefined) return fact(true, `repo://${found}`);
  return cut || files.length === 0 ? null : fact(false, evidence);
}

function managersOf({ files }: Listing): string[] {
  const names = new Set(files.map(nameOf));
  const found = new Set([...names].flatMap((name) => LOCKFILES[name] ?? MANIFESTS[name] ?? []));
  for (const [manifest, { usual, others }] of Object.entries(SHARED_MANIFESTS))
    if (names.has(manifest) && !others.some((other) => found.has(other))) found.add(usual);
  return [...found].sort();
}

async function defaultBranch(git: Git): Promise<Fact | null> {
  const remote = (await git("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"))?.trim();
  if (remote?.startsWith("origin/") === true) return fact(remote.slice("origin/".length), "git://origin/HEAD");
  const branches = (await git("for-each-ref", "--format=%(refname:short)", "refs/heads/main", "refs/heads/master"))
    ?.split("\n")
    .filter((name) => name !== "");
  const [only, another] = branches ?? [];
  return only === undefined || another !== undefined ? null : fact(only, `git://refs/heads/${only}`);
}

async function workingTreeClean(repo: string, git: Git, own: readonly string[]): Promise<Fact | null> {
  // Comparing files may run the filters a repository's own configuration names, so there git is not asked at all.
  const filters = await git("config", "--show-scope", "--get-regexp", "^filter\\.");
  if (filters !== null && /^(?:local|worktree)\t/m.test(filters)) return null;
  // Nor where it would look at the files of another folder.
  const top = (await git("rev-parse", "--show-toplevel"))?.replace(/\n$/, "") ?? "";
  if (!(await isNearestCheckout(top, await realpath(repo)))) return null;
  const except = [":(exclude,top).coordinator", ...own.map((path) => `:(exclude,glob)${path}`)];
  const changes = (untracked: "normal" | "all", spared: readonly string[]) =>
    git("status", "--porcelain", `--untracked-files=${untracked}`, "--", ":/", ...spared);
  const found = await changes("normal", except);
  // A folder that is untracked as a whole is listed by its name alone, whatever is in it: look at each file then.
  const left = found !== null && found.trim() !== "" && own.length > 0 ? await changes("all", except) : found;
  return left === null ? null : fact(left.trim() === "", "git://status");
}

/** The total of an Istanbul summary, the one coverage report whose numbers need no arithmetic. */
async function coverage(repo: string): Promise<Fact | null> {
  const path = "coverage/coverage-summary.json";
  const report = await readDocument(join(repo, path)).catch(() => null);
  if (report?.ok !== true) return null;
  const summary = report.value as { total?: { lines?: { pct?: unknown } } } | null;
  const percent = summary?.total?.lines?.pct;
  return typeof percent === "number" && percent >= 0 && percent <= 100 ? fact(percent, `repo://${path}`) : null;
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}

function extensionOf(file: string): string {
  const name = nameOf(file);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}
