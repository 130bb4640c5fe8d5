import { parse } from "yaml";
import type { ProjectFiles } from "./detect-checks.js";

/*
 * How a workspace could be made ready, told from the lockfile of a project. Inside a workspace there is no network:
 * every command takes its packages from a cache of this machine.
 */

export interface SuggestedSetup {
  readonly run: string;
  readonly inputs: readonly string[];
  readonly keeps: readonly string[];
  readonly mounts: readonly string[];
  readonly because: string;
  /** False: known to be right in general and not tried by us; whoever wants it has to look at it. */
  readonly tried: boolean;
}

const NPM_LOCK = "package-lock.json";
const PNPM_LOCK = "pnpm-lock.yaml";
/** As many folders as a setup may keep. */
const MOST_FOLDERS = 50;

const KNOWN: readonly (Omit<SuggestedSetup, "because"> & { readonly lockfile: string })[] = [
  {
    lockfile: NPM_LOCK,
    run: "npm ci --offline --no-audit --no-fund",
    inputs: ["package.json", "package-lock.json"],
    keeps: ["node_modules"],
    mounts: ["~/.npm"],
    tried: true,
  },
  {
    lockfile: PNPM_LOCK,
    run: "pnpm install --offline --frozen-lockfile",
    inputs: ["package.json", "pnpm-lock.yaml"],
    keeps: ["node_modules"],
    mounts: ["~/.local/share/pnpm"],
    tried: true,
  },
  {
    lockfile: "yarn.lock",
    run: "yarn install --offline --frozen-lockfile",
    inputs: ["package.json", "yarn.lock"],
    keeps: ["node_modules"],
    mounts: ["~/.cache/yarn"],
    tried: false,
  },
  {
    lockfile: "uv.lock",
    run: "uv sync --offline --frozen",
    inputs: ["pyproject.toml", "uv.lock"],
    keeps: [".venv"],
    mounts: ["~/.cache/uv"],
    tried: false,
  },
];

/** Null when there is no lockfile we know, or nothing to be installed by it. */
export async function detectSetup({ read }: Pick<ProjectFiles, "read">): Promise<SuggestedSetup | null> {
  for (const { lockfile, ...setup } of KNOWN) {
    const text = await read(lockfile);
    if (text === null) continue;
    if (lockfile === PNPM_LOCK) return pnpmSetup({ ...setup, because: lockfile }, text);
    if (lockfile !== NPM_LOCK) return { ...setup, because: lockfile };
    const locked = npmPackages(text);
    if (locked.size === 0) return null;
    const own = [...new Set([...locked.keys()].flatMap(ownFolder))];
    const run = [...locked.values()].some(hasNoAddress) ? { run: WITHOUT_ADDRESSES } : {};
    return { ...setup, because: lockfile, ...run, ...(own.length === 0 ? {} : keeping(setup, own)) };
  }
  return null;
}

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
}

/**
 * pnpm gives every package of a workspace that depends on something a folder of its own, and its lockfile names them.
 * What cannot be told from it, or is more than can be kept, has to be looked at by a person.
 */
function pnpmSetup(setup: SuggestedSetup, text: string): SuggestedSetup | null {
  const importers = importersIn(text);
  if (importers === null) return { ...setup, tried: false };
  if (importers.length === 0) return null;
  return { ...setup, ...keeping(setup, importers) };
}

/** What has folders of its own in these packages too. More than can be kept: all of it is made anew each time. */
function keeping(
  { inputs, keeps }: Pick<SuggestedSetup, "inputs" | "keeps">,
  packages: readonly string[],
): Pick<SuggestedSetup, "inputs" | "keeps"> {
  const inside = (file: string) => packages.map((folder) => (folder === "." ? file : `${folder}/${file}`));
  const all = [...new Set([...keeps, ...inside("node_modules")])];
  if (all.length > MOST_FOLDERS) return { inputs, keeps: [] };
  return { inputs: [...new Set([...inputs, ...inside("package.json")])], keeps: all };
}

const DEPENDING = ["dependencies", "devDependencies", "optionalDependencies"];

/** The folders of a workspace that depend on something; null when the lockfile is none we know. */
function importersIn(text: string): string[] | null {
  try {
    const { importers } = parse(text) as { importers?: Record<string, Record<string, object> | null> };
    if (importers === undefined) return null;
    return Object.entries(importers).flatMap(([folder, needs]) =>
      DEPENDING.some((kind) => Object.keys(needs?.[kind] ?? {}).length > 0) ? [folder] : [],
    );
  } catch {
    return null;
  }
}

/** npm writes a lockfile for a project without packages too; it names the project itself. */
function npmPackages(text: string): ReadonlyMap<string, LockedPackage> {
  try {
    const { packages = {} } = JSON.parse(text) as { packages?: Record<string, LockedPackage> };
    return new Map(Object.entries(packages).filter(([name]) => name !== ""));
  } catch {
    return new Map([["?", {}]]);
  }
}

/** What a package of a workspace has for itself, because the others need another version of it. */
function ownFolder(place: string): string[] {
  const at = place.indexOf("/node_modules/");
  return at < 0 || place.startsWith("node_modules/") ? [] : [place.slice(0, at)];
}

/**
 * A lockfile may leave out where packages come from. npm then looks that up in the index of its cache, and writes to the
 * index when it does: a read-only one counts as empty. Inside, it gets a copy of the index beside the packages themselves.
 */
function hasNoAddress({ resolved, integrity }: LockedPackage): boolean {
  return integrity !== undefined && resolved === undefined;
}

const WITHOUT_ADDRESSES = [
  "mkdir -p /tmp/npm/_cacache",
  "cp -r ~/.npm/_cacache/index-v5 /tmp/npm/_cacache/",
  "ln -s ~/.npm/_cacache/content-v2 /tmp/npm/_cacache/content-v2",
  "npm ci --offline --no-audit --no-fund --cache /tmp/npm",
].join(" && ");
