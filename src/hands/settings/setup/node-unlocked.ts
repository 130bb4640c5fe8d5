import { parse } from "yaml";
import { manifestOf, type ProjectFiles } from "../detected-check.js";
import { buildOf, COMMON, DEPENDING, type Found, inputs, keeps, type Manifest, QUIET } from "./node-manifests.js";
import { joinBelow } from "./part.js";

/*
 * Packages for Node.js of a project without a lockfile. Both npm and pnpm find versions in the index of their cache, when
 * what the project needs was installed with them before.
 */

export async function withoutLockfile(folder: string, files: ProjectFiles): Found {
  const { read } = files;
  const manifest = manifestOf<Manifest>(await read("package.json"));
  if (manifest === null) return undefined;
  const workspace = await read("pnpm-workspace.yaml");
  const members = await membersOf(files, workspace === null ? patternsOf(manifest) : pnpmPatterns(workspace));
  const all = [manifest, ...(await Promise.all(members.map(async (at) => manifestIn(files, at))))];
  if (!all.some((each) => DEPENDING.some((kind) => Object.keys(each?.[kind] ?? {}).length > 0))) return undefined;
  const isPnpm = workspace !== null || manifest.packageManager?.startsWith("pnpm@") === true;
  const never = /^(?:package-)?lock(?:file)?\s*=\s*false/m.test((await read(".npmrc")) ?? "");
  const shared = { ...COMMON, folder, because: joinBelow(folder, "package.json"), unlocked: true };
  const kept = keeps(folder, ["node_modules", ...members.map((at) => `${at}/node_modules`)]);
  if (isPnpm)
    return {
      ...shared,
      program: "pnpm",
      run: "pnpm install --offline --no-lockfile --store-dir ~/.local/share/pnpm/store",
      ...(await buildOf(files, members, {
        own: "pnpm run --if-present prepare",
        all: "pnpm --recursive --include-workspace-root run --if-present prepare",
      })),
      inputs: inputs(folder, "package.json", members, workspace === null ? [] : ["pnpm-workspace.yaml"]),
      keeps: kept,
      caches: ["~/.local/share/pnpm/store", "~/.cache/pnpm", "~/.cache/node/corepack"],
      mounts: ["~/.local/share/pnpm/.tools"],
      install: "pnpm install --ignore-scripts --store-dir ~/.local/share/pnpm/store",
      makes: describeMade("~/.local/share/pnpm/store", never ? null : "pnpm-lock.yaml"),
    };
  return {
    ...shared,
    program: "npm",
    run: `npm install --offline --no-package-lock ${QUIET}`,
    ...(await buildOf(files, members, {
      own: "npm run prepare --if-present",
      all: "npm run prepare --if-present --workspaces --include-workspace-root",
    })),
    inputs: inputs(folder, "package.json", members),
    keeps: kept,
    caches: ["~/.npm"],
    install: "npm install --ignore-scripts",
    makes: describeMade("~/.npm", never ? null : "package-lock.json"),
  };
}

function describeMade(cache: string, lockfile: string | null): string {
  return lockfile === null ? `the packages in ${cache}` : `${lockfile}, to be committed, and the packages in ${cache}`;
}

async function manifestIn({ read }: ProjectFiles, folder: string): Promise<Partial<Manifest> | null> {
  return manifestOf<Manifest>(await read(`${folder}/package.json`));
}

/** A list, or the `packages` of an object; anything else does not describe a workspace. */
function patternsOf({ workspaces }: Partial<Manifest>): readonly string[] {
  const named = (workspaces as { packages?: unknown } | undefined)?.packages ?? workspaces;
  return Array.isArray(named) ? named : [];
}

function pnpmPatterns(text: string): readonly string[] {
  try {
    return patternsOf({ workspaces: parse(text) as { packages: string[] } });
  } catch {
    return [];
  }
}

const MOST_MEMBERS = 60;

/** The folders that the patterns of a workspace name, as far as they end with a name or with one star. */
async function membersOf(files: ProjectFiles, patterns: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const wanted = patterns.filter((each) => typeof each === "string" && !each.startsWith("!"));
  for (const pattern of wanted.map((each) => each.replace(/^\.\//, "").replace(/\/+$/, ""))) {
    const parent = /^([^*]+)\/\*{1,2}$/.exec(pattern)?.[1];
    const folders = parent === undefined ? [pattern] : (await files.list(parent)).map((name) => `${parent}/${name}`);
    for (const folder of folders)
      if (found.size < MOST_MEMBERS && folder !== "." && (await manifestIn(files, folder)) !== null) found.add(folder);
  }
  return [...found];
}
