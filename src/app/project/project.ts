import type { LoadedConfiguration } from "../../hands/settings/load-configuration.js";
import type { LoadedContract } from "../../hands/settings/contract/load-contract.js";
import type { LoadedRegistry } from "../../hands/registry/load-registry.js";
import type { EventReader, EventStore } from "../../hands/store/event-store.js";
import type { InForce } from "../../mind/contract/permit.js";
import type { ScopePolicy } from "../../model/settings/scope-policy.js";
import { type OnceReader, type ReadBytes, readOnce } from "../../foundation/files/read-once.js";
import { registerSecrets, secretsIn } from "../../foundation/files/known-secrets.js";
import type { FoldCache } from "../inspect/fold-cache.js";
import { findRoot, type StateFolder, stateFolder } from "./state-folder.js";

/*
 * A project as one piece of work sees it. A front opens it once for each command or operation and hands it on; nothing else
 * loads settings, contract or registry (test/architecture/project.test.ts).
 *
 * INVARIANT: each of their files is read once. What trust was judged by and what is used are the same bytes.
 */

export interface Project {
  /** The folder somebody stands in: paths are taken from it and shown from it. */
  readonly cwd: string;
  readonly root: string;
  readonly at: StateFolder;
  readonly environment: NodeJS.ProcessEnv;
  readonly now: () => string;
  /** Contract: throws FILE_UNREADABLE only. The keys that the settings name are registered as secrets. */
  readonly settings: () => Promise<LoadedConfiguration>;
  /**
   * For what writes down what somebody said and needs no settings: the keys that settings name are known then.
   *
   * Contract: settings that cannot be read are not a reason not to take a decision.
   */
  readonly registerKeys: () => Promise<void>;
  /** The contract that commands are judged by where somebody stands: the project's own, else the shipped one, or what is wrong with it. */
  readonly contract: () => Promise<LoadedContract>;
  /** The contract that runs of the project are carried out under. Contract: throws DOCUMENT_INVALID for one that is wrong. */
  readonly contractInForce: (approved: boolean) => Promise<InForce>;
  /** The built-in registry, the project's own, then the named directories; later ones override. */
  readonly registry: (more?: readonly string[]) => Promise<ProjectRegistry>;
  /** The policy of what attempts may do from the start, and what none may be given. Contract: throws DOCUMENT_INVALID. */
  readonly scopePolicy: () => Promise<ScopePolicy>;
  /** Opens the project anew, for the next piece of work of a process that lives long; or that of another folder. */
  readonly reopen: (cwd?: string) => Project;
  /** Folds of its runs that are kept between one piece of work and the next; absent where a process lives for one only. */
  readonly folds?: FoldCache | undefined;
  /** The log of its runs to read; null when no run was ever started here. The caller closes it. */
  readonly readRuns: () => Promise<EventReader | null>;
  /** The log of its runs to write. The caller closes it. */
  readonly openRuns: () => Promise<EventStore>;
  /**
   * The settings once more, after a person agreed to something: the same files, judged by the agreement that is on disk
   * now. `written` is a settings file that this process has just written, which is read again.
   */
  readonly judgeAgain: (written?: string) => Promise<LoadedConfiguration>;
}

/** Where a project is, for what needs nothing of it that is loaded. */
export type ProjectBase = Pick<Project, "root" | "at" | "environment">;

export type ProjectRegistry = LoadedRegistry & { readonly directories: readonly string[] };

export interface ProjectPlace {
  /** The absolute path of the folder to work in. */
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly now?: () => string;
  /** Reads files; a process that lives long gives one that reads again what has changed. */
  readonly read?: ReadBytes;
  readonly folds?: FoldCache | undefined;
}

/**
 * Open the project of a folder. Contract: reads nothing yet; each part is loaded when it is first asked for. The secrets
 * among its variables are known from now on.
 */
export function openProject(place: ProjectPlace): Project {
  registerSecrets([...secretsIn(place.environment)].map(([value, name]) => [name, value]));
  return projectAt(place);
}

function projectAt(place: ProjectPlace): Project {
  const { cwd, environment, now, read } = place;
  const files = readOnce(read);
  let at: StateFolder | null = null;
  const here = () => (at ??= stateFolder(findRoot(cwd), environment));
  let settings: Promise<LoadedConfiguration> | null = null;
  const load = () => (settings ??= loadSettings(here().root, environment, files));
  const contracts = new Map<string, Promise<LoadedContract>>();
  const contractFrom = (from: string) => {
    const known = contracts.get(from) ?? loadContractOf(from, files);
    contracts.set(from, known);
    return known;
  };
  const registries = new Map<string, Promise<ProjectRegistry>>();
  return {
    cwd,
    environment,
    folds: place.folds,
    now: now ?? (() => new Date().toISOString()),
    get root() {
      return here().root;
    },
    get at() {
      return here();
    },
    settings: load,
    registerKeys: async () => {
      await load().catch(() => undefined);
    },
    contract: () => contractFrom(cwd),
    contractInForce: async (approved) => {
      const loaded = await contractFrom(here().root);
      if (loaded.ok) return { contract: loaded.contract, file: loaded.file, approved };
      const { invalidContract } = await import("./invalid-contract.js");
      throw invalidContract(loaded.problems);
    },
    registry: (more = []) => {
      const key = JSON.stringify(more);
      const known = registries.get(key) ?? loadRegistryOf(cwd, more, files);
      registries.set(key, known);
      return known;
    },
    scopePolicy: async () => (await import("./project-documents.js")).readScopePolicy(cwd, files.read),
    reopen: (folder = cwd) => projectAt({ ...place, cwd: folder }),
    readRuns: async () => (await import("./open-runs.js")).readRuns(here()),
    openRuns: async () => (await import("./open-runs.js")).openRuns(here()),
    judgeAgain: (written) => {
      if (written !== undefined) files.forget(written);
      settings = null;
      return load();
    },
  };
}

async function loadSettings(
  root: string,
  environment: NodeJS.ProcessEnv,
  { read }: OnceReader,
): Promise<LoadedConfiguration> {
  const { loadConfiguration } = await import("../../hands/settings/load-configuration.js");
  const loaded = await loadConfiguration(root, environment, read);
  registerSecrets(loaded.keys);
  return loaded;
}

async function loadContractOf(from: string, { read }: OnceReader): Promise<LoadedContract> {
  return (await import("../../hands/settings/contract/load-contract.js")).loadContract(from, read);
}

async function loadRegistryOf(cwd: string, more: readonly string[], { read }: OnceReader): Promise<ProjectRegistry> {
  return (await import("./project-registry.js")).loadProjectRegistry(more, cwd, read);
}
