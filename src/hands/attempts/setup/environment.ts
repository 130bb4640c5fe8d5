import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import type { Configuration } from "../../../model/settings/configuration.js";
import { isInside, openRegular } from "../../workspace/path-safety.js";
import type { Quarantine } from "../../workspace/quarantine.js";
import type { Workspace } from "../../workspace/open-workspace.js";
import { type OpenSandbox, openSandbox } from "../../sandbox/open-sandbox.js";
import type { SandboxOptions } from "../../sandbox/options.js";
import type { Workspaces } from "../../workspace/workspace.js";
import { cachesInHome, limitsIn, chooseShownFolders, toolFolders } from "../agent-sandbox.js";
import { noteObserved } from "../../checks/observe.js";
import { type TellStep, reportStep } from "../../checks/on-trees/check-steps.js";
import type { NextPorts } from "../port-ranges.js";
import { activationVariables } from "./activate.js";
import { keepSetup, findKeptSetup, restoreSetup } from "./kept.js";
import { beforeSetup, findMadeBySetup } from "./made.js";
import type { SetupPlace, SetupSettings } from "./place.js";
import { runCommand, runSetup, type SetupFailure } from "./run-setup.js";

/*
 * The environment a tree is checked in: a workspace of its own that no agent has been in, made ready by the project's
 * setup, and a sandbox around it.
 *
 * INVARIANT: base and result are made ready in the same way. Setup runs first on the tree no agent has touched, in a
 * workspace for nothing else. Its files are copied into every workspace, that of the base too; where it cannot
 * be copied, setup runs in every workspace, that of the base too. Only a tree that changes an input of setup differs.
 */

export interface EnvironmentParts {
  readonly runId: string;
  readonly quarantine: Quarantine;
  readonly workspaces: Workspaces;
  readonly configuration: {
    readonly workspace: Pick<Configuration["workspace"], "setup" | "tools">;
    readonly sandbox: Configuration["sandbox"];
  };
  /** Environment with the home that the tools, caches and files of setup are taken from. */
  readonly environment: NodeJS.ProcessEnv;
  readonly sandbox: Pick<SandboxOptions, "records" | "unsafeNoSandbox">;
  /** Where what setup made is kept for later workspaces. */
  readonly cache: string;
  /** The tree no agent has touched: the only one that may fill the cache. */
  readonly pristineTree: string;
  readonly nextPorts: NextPorts;
  /** Told when setup and each check begin and end. */
  readonly tell?: TellStep | undefined;
}

export interface Environment {
  readonly sandbox: OpenSandbox;
  readonly place: SetupPlace;
}

export interface NotReady extends SetupFailure {
  /**
   * Setup works on the tree no agent has touched, and this tree changes nothing that setup depends on: then it is the
   * tree's own source that fails, as when it does not compile.
   */
  readonly by_tree: boolean;
}

export type InEnvironment = <T>(
  tree: string,
  signal: AbortSignal,
  use: (environment: Environment) => Promise<T>,
) => Promise<T | NotReady>;

/** A setup that has just failed is not run again at once: all who wait for it are told the same. */
const FAILED_MS = 60_000;

export function createEnvironments(parts: EnvironmentParts): InEnvironment {
  const { setup } = parts.configuration.workspace;
  let trying: Promise<NotReady | null> | null = null;

  const prepareOnce = (settings: SetupSettings, signal: AbortSignal): Promise<NotReady | null> => {
    trying ??= prepare(parts, settings, signal).then(
      (failure) => {
        if (failure !== null) setTimeout(() => (trying = null), FAILED_MS).unref();
        return failure;
      },
      (error: unknown) => {
        trying = null;
        throw error;
      },
    );
    return trying;
  };

  return async (tree, signal, use) => {
    const failure = setup === undefined ? null : await prepareOnce(setup, signal);
    if (failure !== null) return failure;
    return inWorkspace(parts, tree, async (workspace, place) => {
      const restored = setup === undefined || (await restoreSetup(setup, place));
      const sandbox = await openSandbox(sandboxOptions(parts, workspace.path));
      try {
        if (setup !== undefined) {
          const changed = restored ? [] : await findChangedInputs(parts, setup, place, tree);
          if (changed.length > 0) noteChanged(changed);
          const run = () => runSetup(setup, restored, sandbox, place, watch(parts, tree, signal));
          const end = await (restored ? run() : reportStep(parts.tell, { step: "setup", name: "setup", tree }, run));
          if (!end.ready) return { ...end, by_tree: tree !== parts.pristineTree && changed.length === 0 };
        }
        const env = {
          ...(setup === undefined ? {} : await activationVariables(workspace.path, sandbox)),
          ...place.env,
        };
        return await use({ sandbox, place: { ...place, env } });
      } finally {
        await sandbox.close();
      }
    });
  };
}

/** See that it is known how workspaces are made ready, by a first setup on the tree no agent has touched. */
async function prepare(parts: EnvironmentParts, setup: SetupSettings, signal: AbortSignal): Promise<NotReady | null> {
  const { quarantine, pristineTree, cache } = parts;
  const known = await findKeptSetup(setup, {
    workspace: "",
    cache,
    env: {},
    readFile: readerAt(quarantine, pristineTree),
  });
  if (known !== null) return null;
  return inWorkspace(parts, pristineTree, async (workspace, place) => {
    const site = { quarantine, path: workspace.path, viewCommit: workspace.viewCommit };
    const sandbox = await openSandbox(sandboxOptions(parts, workspace.path));
    sandbox.notices.forEach(noteObserved);
    const before = await beforeSetup(site);
    try {
      const end = await reportStep(parts.tell, { step: "setup", name: "setup", tree: pristineTree }, () =>
        runCommand(setup, sandbox, place, watch(parts, pristineTree, signal)),
      );
      if (!end.ready) return { ...end, by_tree: false };
    } finally {
      await sandbox.close();
    }
    const kept = await keepSetup(setup, place, await findMadeBySetup(site, before, setup.keeps));
    if (kept.mode === "each") noteObserved(`setup runs anew in every workspace: ${kept.reason}`);
    return null;
  });
}

async function inWorkspace<T>(
  parts: EnvironmentParts,
  tree: string,
  use: (workspace: Workspace, place: SetupPlace) => Promise<T>,
): Promise<T> {
  const { workspaces, runId, cache } = parts;
  const workspace = await workspaces.prepareTree({ runId, taskId: "checks", attemptId: randomUUID(), tree });
  try {
    const env = await parts.nextPorts();
    return await use(workspace, { workspace: workspace.path, cache, readFile: readerIn(workspace.path), env });
  } finally {
    await workspace.remove();
  }
}

/** The inputs of setup that a tree changes: it is made ready by its own setup. */
async function findChangedInputs(
  { quarantine, pristineTree }: EnvironmentParts,
  setup: SetupSettings,
  place: SetupPlace,
  tree: string,
): Promise<string[]> {
  if (tree === pristineTree) return [];
  const pristine = readerAt(quarantine, pristineTree);
  const changed: string[] = [];
  for (const path of setup.inputs)
    if ((await place.readFile(path, MOST_INPUT)) !== (await pristine(path, MOST_INPUT))) changed.push(path);
  return changed;
}

/** Told because it explains differences. */
function noteChanged(changed: readonly string[]): void {
  noteObserved(`setup runs for this tree alone: it changes ${changed.join(", ")}, which setup depends on`);
}

const MOST_INPUT = 64 * 1024 * 1024;

function watch({ runId }: EnvironmentParts, tree: string, signal: AbortSignal) {
  return { signal, name: `${runId}-${tree.slice(0, 12)}-${Date.now()}`, tree };
}

function sandboxOptions({ sandbox, configuration, environment }: EnvironmentParts, workspace: string): SandboxOptions {
  const { setup, tools } = configuration.workspace;
  return {
    ...sandbox,
    environment,
    workspace,
    writable: "whole",
    tools: toolFolders(tools, environment),
    homeFiles: chooseShownFolders(setup?.mounts ?? [], environment),
    caches: cachesInHome(setup?.caches ?? [], environment),
    cachesFolder: cachesBeside(workspace),
    limits: limitsIn(configuration.sandbox),
  };
}

/** The copies of caches stand beside a workspace, on its disk, and are removed with it. */
export function cachesBeside(workspace: string): string {
  return join(dirname(workspace), "caches");
}

/** Files of a tree as a workspace of it would have them. */
function readerAt({ git, gitDir }: Quarantine, tree: string): SetupPlace["readFile"] {
  return async (path, most) => {
    const listed = await git.call({ gitDir, args: ["ls-tree", "-z", "--full-tree", tree, "--", path] });
    const [, oid] = /^100\d+ blob ([0-9a-f]+)\t/.exec(listed.stdout.toString("latin1")) ?? [];
    if (oid === undefined) return null;
    const { code, stdout } = await git.call({ gitDir, args: ["cat-file", "blob", oid] });
    return code === 0 ? stdout.subarray(0, most).toString("utf8") : null;
  };
}

/** Files of a workspace as they are, without following a link anywhere on the way. */
export function readerIn(workspace: string): SetupPlace["readFile"] {
  return async (path, most) => {
    if (!(await isInside(workspace, join(workspace, path)))) return null;
    const file = await openRegular(Buffer.from(`${workspace}/${path}`).toString("latin1"), true);
    if (file === null) return null;
    try {
      const buffer = Buffer.alloc(Math.min(most, (await file.stat()).size));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      return buffer.subarray(0, bytesRead).toString("utf8");
    } finally {
      await file.close();
    }
  };
}
