import { crashPoint } from "../../../foundation/processes/crash-points.js";
import type { Finding } from "../finding.js";
import { type Leftover, listLeftovers, recoverLeftovers } from "./leftovers.js";
import { WORKSPACE_LIMITS } from "../limits.js";
import type { WorkspaceParts } from "../open-workspace.js";
import { removeTree } from "../path-safety.js";
import type { Quarantine } from "../quarantine.js";

/*
 * Cleaning up: what is there, what may go, and why the rest stays. Work that is on none of the user's branches stays
 * until it is somewhere else too; a workspace goes only after it was salvaged.
 */

export interface CleanRequest {
  readonly root: string;
  readonly now: Date;
  /** Only what is at least this old. */
  readonly olderThanMs: number;
  /** Also salvaged work that is older than that. It is gone then: a person has to order it. */
  readonly salvaged: boolean;
  /** Commits that runs which are not over begin with. */
  readonly begunOn?: ReadonlySet<string>;
}

export type CleanEntry = {
  readonly kind:
    | "workspace"
    | "spare"
    | "trash"
    | "attempt_ref"
    | "salvage_ref"
    | "base_ref"
    | "attempt_folder"
    | "home"
    | "unknown";
  readonly name: string;
  readonly action: "remove" | "salvage_and_remove" | "keep";
  readonly reason: string;
};

export interface CleanPlan {
  readonly entries: readonly CleanEntry[];
  readonly leftovers: readonly Leftover[];
}

export interface Cleaned {
  readonly removed: readonly string[];
  readonly kept: readonly { readonly name: string; readonly reason: string }[];
}

/** Contract: changes nothing. */
export async function planClean(quarantine: Quarantine, request: CleanRequest): Promise<CleanPlan> {
  const leftovers = await listLeftovers(request.root);
  const bases = new Set(leftovers.flatMap(({ record }) => (record === null ? [] : [record.base])));
  const refs = await refsWithDates(quarantine);
  const entries = [
    ...leftovers.map((leftover) => folderEntry(leftover, request)),
    ...(await Promise.all(refs.map((ref) => refEntry(quarantine, ref, refs, bases, request)))),
  ];
  return { entries, leftovers };
}

/** Contract: does what the plan says and no more. What turns out not to be removable is kept, with the reason. */
export async function clean(quarantine: Quarantine, plan: CleanPlan): Promise<Cleaned> {
  const going = new Set(plan.entries.filter(({ action }) => action !== "keep").map(({ name }) => name));
  const trash: string[] = [];
  const parts: WorkspaceParts = {
    quarantine,
    salvageBytes: WORKSPACE_LIMITS.salvageBytes,
    discard: (folder) => trash.push(folder),
  };
  const chosen = plan.leftovers.filter(({ folder }) => going.has(folder));
  const { kept } = await recoverLeftovers(parts, chosen);
  const left: { name: string; reason: string }[] = kept.map(({ folder, findings }) => ({
    name: folder,
    reason: reasonOf(findings),
  }));
  for (const folder of trash) {
    const [problem] = await removeTree(folder);
    if (problem !== undefined) left.push({ name: folder, reason: problem });
  }
  crashPoint("workspace.removed");
  const refs = plan.entries
    .filter(({ name, action }) => action === "remove" && name.startsWith("refs/coord/"))
    .map(({ name }) => name);
  if (refs.length > 0) await quarantine.forget(refs);
  if (!plan.leftovers.some(({ inUse }) => inUse)) await tidy(quarantine);
  const failed = new Set(left.map(({ name }) => name));
  const stayed = plan.entries.filter(({ action }) => action === "keep").map(({ name, reason }) => ({ name, reason }));
  return { removed: [...going].filter((name) => !failed.has(name)), kept: [...stayed, ...left] };
}

/** Removes what is unused from the quarantine: views without a workspace, and refs the user's repository has, too. */
async function tidy({ git, gitDir, refs }: Quarantine): Promise<void> {
  const theirs = await refs("repository");
  const doubled = [...(await refs("quarantine"))].filter(([ref, commit]) => theirs.get(ref) === commit);
  const views = await refs("quarantine", "refs/views/");
  const input = [...doubled, ...views].map(([ref, commit]) => `delete ${ref} ${commit}\n`).join("");
  await git.must("Tidying the quarantine", { gitDir, args: ["update-ref", "--stdin", "--no-deref"], input });
  // An hour, because another process may just be writing what nothing names yet.
  await git.must("Tidying the quarantine", {
    gitDir,
    args: ["gc", "--quiet", "--prune=1.hour.ago"],
    timeoutMs: 600_000,
  });
}

const reasonOf = (findings: readonly Finding[]) =>
  findings.map(({ path, detail }) => (path === "" ? detail : `${path}: ${detail}`)).join("; ");

function folderEntry({ folder, kind, record, inUse }: Leftover, request: CleanRequest): CleanEntry {
  if (kind === "trash") return { kind, name: folder, action: "remove", reason: "it has been salvaged" };
  if (inUse)
    return {
      kind: kind === "spare" ? "spare" : "workspace",
      name: folder,
      action: "keep",
      reason: "a process that lives uses it",
    };
  if (kind === "spare") return { kind, name: folder, action: "remove", reason: "no agent has been in it" };
  if (record === null)
    return {
      kind: "unknown",
      name: folder,
      action: "keep",
      reason: "it is not a workspace of this program, or its record is damaged",
    };
  if (!isOld(record.created_at, request))
    return { kind: "workspace", name: folder, action: "keep", reason: "it is too young" };
  return { kind: "workspace", name: folder, action: "salvage_and_remove", reason: "the process that used it is gone" };
}

interface DatedRef {
  readonly ref: string;
  readonly commit: string;
  readonly date: string;
}

async function refsWithDates({ git, userGitDir }: Quarantine): Promise<DatedRef[]> {
  const format = "--format=%(objecttype) %(objectname) %(committerdate:iso-strict) %(refname)";
  const output = await git.must("Listing refs", { gitDir: userGitDir, args: ["for-each-ref", format, "refs/coord/"] });
  return output
    .toString("latin1")
    .split("\n")
    .flatMap((line) => {
      const [type, commit = "", date = "", ref = ""] = line.split(" ");
      // Anchors of the log are blobs: they are evidence and none of our business.
      return type === "commit" ? [{ ref, commit, date }] : [];
    });
}

async function refEntry(
  quarantine: Quarantine,
  { ref, commit, date }: DatedRef,
  all: readonly DatedRef[],
  bases: ReadonlySet<string>,
  request: CleanRequest,
): Promise<CleanEntry> {
  if (ref.startsWith("refs/coord/bases/")) {
    const begun = request.begunOn?.has(commit) === true;
    const used = bases.has(commit);
    return {
      kind: "base_ref",
      name: ref,
      action: begun || used ? "keep" : "remove",
      reason: begun
        ? "a run that is not over begins with it"
        : used
          ? "a workspace is built on it"
          : "no workspace is built on it",
    };
  }
  const kind = ref.startsWith("refs/coord/salvage/") ? "salvage_ref" : "attempt_ref";
  if (!isOld(date, request)) return { kind, name: ref, action: "keep", reason: "it is too young" };
  if (kind === "salvage_ref" && request.salvaged)
    return { kind, name: ref, action: "remove", reason: "ordered: salvaged work of this age" };
  if (kind === "salvage_ref")
    return { kind, name: ref, action: "keep", reason: "salvaged work goes only when ordered" };
  if (await isIntegrated(quarantine, commit)) return { kind, name: ref, action: "remove", reason: "it is on a branch" };
  const salvage = ref.replace("refs/coord/", "refs/coord/salvage/");
  const saved = all.find((other) => other.ref === salvage && !request.salvaged);
  if (saved !== undefined && (await holds(quarantine, saved.commit, commit)))
    return { kind, name: ref, action: "remove", reason: `it is in ${salvage}` };
  return { kind, name: ref, action: "keep", reason: "it is on no branch and in no salvage" };
}

/** Whether the user's own refs have the commit. */
async function isIntegrated({ git, userGitDir }: Quarantine, commit: string): Promise<boolean> {
  const args = [
    "for-each-ref",
    "--contains",
    commit,
    "--count=1",
    "--format=%(refname)",
    "refs/heads/",
    "refs/tags/",
    "refs/remotes/",
  ];
  const { code, stdout } = await git.call({ gitDir: userGitDir, args });
  return code === 0 && stdout.length > 0;
}

async function holds({ git, userGitDir }: Quarantine, saved: string, commit: string): Promise<boolean> {
  return (await git.call({ gitDir: userGitDir, args: ["merge-base", "--is-ancestor", commit, saved] })).code === 0;
}

function isOld(date: string, { now, olderThanMs }: CleanRequest): boolean {
  const age = now.getTime() - new Date(date).getTime();
  return Number.isNaN(age) || age >= olderThanMs;
}
