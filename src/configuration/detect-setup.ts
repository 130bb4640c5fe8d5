import type { ReadRootFile } from "./detect-checks.js";

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

const KNOWN: readonly (Omit<SuggestedSetup, "because"> & { readonly lockfile: string })[] = [
  {
    lockfile: "package-lock.json",
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
export async function detectSetup(read: ReadRootFile): Promise<SuggestedSetup | null> {
  for (const { lockfile, ...setup } of KNOWN) {
    const text = await read(lockfile);
    if (text !== null) return locksNothing(lockfile, text) ? null : { ...setup, because: lockfile };
  }
  return null;
}

/** npm writes a lockfile for a project without packages too; it names the project itself. */
function locksNothing(lockfile: string, text: string): boolean {
  if (lockfile !== "package-lock.json") return false;
  try {
    const { packages = {} } = JSON.parse(text) as { packages?: object };
    return Object.keys(packages).every((name) => name === "");
  } catch {
    return false;
  }
}
