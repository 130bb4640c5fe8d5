import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { mkdir, rename } from "../../foundation/files/write-files.js";
import { crashPoint } from "../../foundation/processes/crash-points.js";
import { CoordinatorError } from "../../model/errors.js";
import { pristineOf } from "./changes.js";
import { cloneView } from "./clone.js";
import { listLeftovers, type Recovered, recoverLeftovers } from "./clean/leftovers.js";
import { refuseBeyond, WORKSPACE_LIMITS, type WorkspaceLimits } from "./limits.js";
import { type AttemptName, attemptFolder } from "./names-of-refs.js";
import { openWorkspace, setAside, type Workspace, type WorkspaceParts } from "./open-workspace.js";
import { removeTree } from "./path-safety.js";
import type { Quarantine } from "./quarantine.js";
import { ownerLives, ownerOf, readRecord, type WorkspaceRecord, writeRecord } from "./workspace-record.js";
import { type Survey, survey } from "./watch/survey.js";
import { placeSubmodules } from "./submodules.js";
import { spreadFolders } from "./spread-folders.js";
import { compileVisibility, makeView, viewOfTree, type View, type ViewRequest } from "./view.js";

/*
 * Workspaces: one for each attempt, made from a view of the base, never used twice.
 */

export interface WorkspacesOptions {
  readonly quarantine: Quarantine;
  /** Outside of every repository; beside the quarantine when absent. */
  readonly root?: string;
  readonly limits?: Partial<WorkspaceLimits>;
  /** Workspaces made ahead of need for a view that was used once. */
  readonly spares?: number;
  /** False when agents run without a sandbox: they could set the clock, so every file is read again. */
  readonly trustStat?: boolean;
  /** Called with a workspace that is made and not handed over: what changes its files as a whole, such as their owner. */
  readonly give?: (tree: string) => Promise<void>;
  readonly now: () => string;
}

export interface PrepareRequest extends AttemptName {
  /** A commit of the user's repository. */
  readonly base: string;
  readonly view: ViewRequest;
}

interface PrepareTreeRequest extends AttemptName {
  /** A tree of the quarantine. */
  readonly tree: string;
}

export interface Workspaces {
  readonly root: string;
  /** Contract: throws WORKSPACE_FAILED beyond a limit, NOT_FOUND for a base that is not a commit. */
  readonly prepare: (request: PrepareRequest) => Promise<Workspace>;
  /**
   * A workspace with a whole tree for checks. No agent works in it, so there is nothing to salvage.
   *
   * Contract: throws WORKSPACE_FAILED beyond a limit.
   */
  readonly prepareTree: (request: PrepareTreeRequest) => Promise<Workspace>;
  /** Make workspaces ahead of need. Contract: none an agent has been in is ever among them. */
  readonly warm: (base: string, view: ViewRequest, count: number) => Promise<void>;
  /** Salvage and remove what processes that died have left, and finish what they began. Before others use the folder. */
  readonly recover: () => Promise<Recovered>;
  /** Contract: waits for what is under way; nothing is left in the background. */
  readonly close: () => Promise<void>;
}

interface Spare {
  readonly folder: string;
  readonly view: View;
  readonly made: Survey;
  readonly bytes: number;
  readonly gitFiles: readonly string[];
  readonly submodules: readonly string[];
}

const WHOLE: ViewRequest = { read: ["**"], hidden: [] };

export async function createWorkspaces(options: WorkspacesOptions): Promise<Workspaces> {
  const { quarantine, spares: wanted = 0, trustStat = true, give, now } = options;
  const limits = { ...WORKSPACE_LIMITS, ...options.limits };
  const root = options.root ?? join(quarantine.directory, "workspaces");
  await mkdir(root, { recursive: true, mode: 0o700 });
  const owner = ownerOf(process.pid);
  const spares = new Map<string, Spare[]>();
  const background = new Set<Promise<unknown>>();
  let recovering: Promise<unknown> = Promise.resolve();
  let closing = false;

  const inBackground = (work: Promise<unknown>) => {
    // A failure here shows again when somebody waits for the same thing.
    const settled = work.catch(() => undefined).finally(() => background.delete(settled));
    background.add(settled);
  };
  const parts: WorkspaceParts = {
    quarantine,
    salvageBytes: limits.salvageBytes,
    discard: (folder) => inBackground(removeTree(folder).then(() => crashPoint("workspace.removed"))),
  };

  /** `from` names the commit or tree of the view, with the submodules that a view leaves out. */
  async function make(view: View, from: string, request: ViewRequest): Promise<Spare> {
    const spareBytes = [...spares.values()].flat().reduce((sum, { bytes }) => sum + bytes, 0);
    await refuseBeyond(root, limits, spareBytes);
    const making = join(root, `making~${owner}~${randomUUID()}`);
    const { gitFiles, bytes } = await cloneView(quarantine, view, join(making, "tree"));
    const { git, gitDir, userGitDir: modulesOf, checkout } = quarantine;
    const holder = { git, gitDir, modulesOf, checkout };
    const submodules = await placeSubmodules(holder, from, join(making, "tree"), compileVisibility(request));
    await give?.(join(making, "tree"));
    const made = await survey(join(making, "tree"), [".git"]);
    made.close();
    const folder = making.replace("making~", "spare~");
    await rename(making, folder);
    crashPoint("workspace.clone_made");
    return { folder, view, made, bytes: bytes + made.bytes, gitFiles, submodules };
  }

  async function handOver(
    { folder: spare, view, bytes, made, gitFiles, submodules }: Spare,
    name: AttemptName,
    disposable = false,
  ): Promise<Workspace> {
    const record: WorkspaceRecord = {
      version: 1,
      run_id: name.runId,
      task_id: name.taskId,
      attempt_id: name.attemptId,
      base: view.base,
      view_commit: view.commit,
      view_key: view.key,
      created_at: now(),
      bytes,
      git_files: [...gitFiles],
      imported: null,
      disposable,
      owner,
    };
    const folder = join(root, attemptFolder(name));
    await writeRecord(spare, record);
    await rename(spare, folder);
    crashPoint("workspace.handed_over");
    const workspace = openWorkspace(parts, folder, record, trustStat && !disposable ? await pristineOf(made) : null);
    // Files of submodules are not files of the commit; those who work here have not made them.
    if (submodules.length > 0) await workspace.settle();
    return workspace;
  }

  /** A workspace of the same attempt that a process left when it died is salvaged first. */
  async function makeRoom(name: AttemptName): Promise<void> {
    const folder = join(root, attemptFolder(name));
    const found = await readRecord(folder);
    if (found === null) return;
    if (!ownerLives(found.owner) && (await openWorkspace(parts, folder, found, null).remove()).status === "removed")
      return;
    throw new CoordinatorError(
      "WORKSPACE_FAILED",
      `Attempt ${name.attemptId} of ${name.taskId} has a workspace already.`,
      {
        fix: "coordinator clean says what holds it.",
      },
    );
  }

  function refill(view: View, request: ViewRequest): void {
    if (closing || (spares.get(view.key)?.length ?? 0) >= wanted) return;
    inBackground(make(view, view.base, request).then(keepSpare));
  }

  function keepSpare(spare: Spare): void {
    spares.set(spare.view.key, [...(spares.get(spare.view.key) ?? []), spare]);
  }

  return {
    root,
    async prepare(request) {
      const base = await quarantine.resolve(request.base);
      await makeRoom(request);
      await quarantine.holdBase(base);
      const view = await makeView(quarantine, base, request.view);
      const spare = spares.get(view.key)?.shift() ?? (await make(view, base, request.view));
      refill(view, request.view);
      return handOver(spare, request);
    },
    async prepareTree({ tree, ...name }) {
      await makeRoom(name);
      return handOver(await make(await viewOfTree(quarantine, tree), tree, WHOLE), name, true);
    },
    async warm(revision, request, count) {
      const base = await quarantine.resolve(revision);
      await quarantine.holdBase(base);
      const view = await makeView(quarantine, base, request);
      for (let i = 0; i < count; i++) keepSpare(await make(view, base, request));
    },
    recover() {
      const next = recovering.then(async () => {
        await spreadFolders(root);
        return recoverLeftovers(parts, await listLeftovers(root));
      });
      recovering = next.catch(() => undefined);
      return next;
    },
    async close() {
      closing = true;
      while (background.size > 0) await Promise.all(background);
      for (const spare of [...spares.values()].flat()) await setAside(parts, spare.folder);
      spares.clear();
      while (background.size > 0) await Promise.all(background);
    },
  };
}
