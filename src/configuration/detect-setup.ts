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
    lockfile: "pnpm-lock.yaml",
    run: "pnpm install --offline --frozen-lockfile",
    inputs: ["package.json", "pnpm-lock.yaml"],
    keeps: ["node_modules"],
    mounts: ["~/.local/share/pnpm"],
    tried: false,
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
    if (lockfile !== NPM_LOCK) return { ...setup, because: lockfile };
    const locked = npmPackages(text);
    if (locked.length === 0) return null;
    return { ...setup, because: lockfile, ...(locked.some(hasNoAddress) ? { run: WITHOUT_ADDRESSES } : {}) };
  }
  return null;
}

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
}

/** npm writes a lockfile for a project without packages too; it names the project itself. */
function npmPackages(text: string): LockedPackage[] {
  try {
    const { packages = {} } = JSON.parse(text) as { packages?: Record<string, LockedPackage> };
    return Object.entries(packages).flatMap(([name, entry]) => (name === "" ? [] : [entry]));
  } catch {
    return [{}];
  }
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
