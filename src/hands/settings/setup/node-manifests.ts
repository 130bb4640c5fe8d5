import { manifestOf, type ProjectFiles } from "../detected-check.js";
import { joinBelow, type SetupPart } from "./part.js";

/* Common parts of the setups of all package managers for Node.js: manifests, and files kept of an install. */

/** Undefined: this package manager is not used here. Null: it is, and there is nothing to install. */
export type Found = Promise<SetupPart | null | undefined>;

export interface Manifest {
  readonly packageManager: string;
  readonly workspaces: readonly string[] | { readonly packages: readonly string[] };
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** As many files as a setup may depend on. */
const MOST_INPUTS = 60;
export const QUIET = "--no-audit --no-fund";

export const COMMON = { mounts: [], installed: "node_modules", unlocked: false, tried: true } as const;

export const DEPENDING = ["dependencies", "devDependencies", "optionalDependencies"] as const;

/** Scripts that only put hooks of git into place. */
const ONLY_HOOKS =
  /^(?:\s*(?:husky(?: install)?|lefthook install|simple-git-hooks|is-ci|true|exit 0)\s*(?:\|\||&&|;|$))+$/;

/** An install runs the `prepare` scripts of the project, and those build it: what they make depends on the source. */
export async function buildOf(
  { read }: ProjectFiles,
  members: readonly string[],
  command: { readonly own: string; readonly all: string },
): Promise<{ readonly build?: string }> {
  const prepares = async (path: string) => {
    const script = manifestOf<Manifest>(await read(path))?.scripts?.["prepare"];
    return script !== undefined && !ONLY_HOOKS.test(script);
  };
  for (const member of members.slice(0, MOST_INPUTS))
    if (await prepares(`${member}/package.json`)) return { build: command.all };
  return (await prepares("package.json")) ? { build: command.own } : {};
}

/** The lockfile and every manifest it was made from. Too many of them: the lockfile alone, which names what they need. */
export function inputs(
  folder: string,
  lockfile: string,
  packages: readonly string[],
  more: readonly string[] = [],
): string[] {
  const manifests = packages.map((at) => `${at}/package.json`);
  const all = ["package.json", lockfile, ...more, ...(manifests.length > MOST_INPUTS ? [] : manifests)];
  return [...new Set(all)].map((path) => joinBelow(folder, path));
}

/** Folders of packages are recognised by their name, so those beyond what can be listed are kept all the same. */
export function keeps(folder: string, paths: readonly string[]): string[] {
  return paths.slice(0, 20).map((path) => joinBelow(folder, path));
}
