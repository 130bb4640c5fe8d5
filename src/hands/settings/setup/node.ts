import { parse } from "yaml";
import type { ProjectFiles } from "../detected-check.js";
import { buildOf, COMMON, DEPENDING, type Found, inputs, keeps, QUIET } from "./node-manifests.js";
import { withoutLockfile } from "./node-unlocked.js";
import { joinBelow, type SetupPart } from "./part.js";

/* Packages for Node.js: npm, pnpm, Yarn (1, and 2 or later) and Bun, with the packages of their workspaces. */

/** Where Corepack keeps the versions of package managers it has fetched. */
const COREPACK = "~/.cache/node/corepack";
type Detect = (folder: string, files: ProjectFiles) => Promise<SetupPart | null>;

/** Null when the folder has no packages for Node.js to be installed. */
export const nodePart: Detect = async (folder, files) => {
  for (const detect of [fromNpm, fromPnpm, fromYarn, fromBun, withoutLockfile]) {
    const part = await detect(folder, files);
    if (part !== undefined) return part;
  }
  return null;
};

async function fromNpm(folder: string, files: ProjectFiles): Found {
  const { read } = files;
  for (const lockfile of ["package-lock.json", "npm-shrinkwrap.json"]) {
    const text = await read(lockfile);
    if (text === null) continue;
    const locked = npmPackages(text);
    if (locked.length === 0) return null;
    const own = [...new Set(locked.flatMap(ownFolder))];
    const members = locked.filter((place) => !/(?:^|\/)node_modules(?:\/|$)/.test(place) && place !== "?");
    return {
      ...COMMON,
      folder,
      program: "npm",
      run: `npm ci --offline ${QUIET}`,
      ...(await buildOf(files, members, {
        own: "npm run prepare --if-present",
        all: "npm run prepare --if-present --workspaces --include-workspace-root",
      })),
      inputs: inputs(folder, lockfile, [...new Set([...members, ...own])]),
      keeps: keeps(folder, ["node_modules", ...own.map((at) => `${at}/node_modules`)]),
      caches: ["~/.npm"],
      because: joinBelow(folder, lockfile),
      install: "npm ci --ignore-scripts",
      makes: "the packages of the lockfile in ~/.npm",
    };
  }
  return undefined;
}

async function fromPnpm(folder: string, files: ProjectFiles): Found {
  const text = await files.read("pnpm-lock.yaml");
  if (text === null) return undefined;
  const importers = importersIn(text);
  if (importers?.length === 0) return null;
  const members = (importers ?? []).filter((at) => at !== ".");
  return {
    ...COMMON,
    folder,
    program: "pnpm",
    // pnpm would look for a store beside the workspace, which is on a file system of its own.
    run: "pnpm install --offline --frozen-lockfile --store-dir ~/.local/share/pnpm/store",
    ...(await buildOf(files, members, {
      own: "pnpm run --if-present prepare",
      all: "pnpm --recursive --include-workspace-root run --if-present prepare",
    })),
    inputs: inputs(folder, "pnpm-lock.yaml", members, ["pnpm-workspace.yaml"]),
    keeps: keeps(folder, ["node_modules", ...members.map((at) => `${at}/node_modules`)]),
    caches: ["~/.local/share/pnpm/store", "~/.cache/pnpm", COREPACK],
    mounts: ["~/.local/share/pnpm/.tools"],
    because: joinBelow(folder, "pnpm-lock.yaml"),
    install: "pnpm install --frozen-lockfile --ignore-scripts --ignore-pnpmfile --store-dir ~/.local/share/pnpm/store",
    makes: "the packages of the lockfile in ~/.local/share/pnpm/store",
  };
}

async function fromYarn(folder: string, { read }: ProjectFiles): Found {
  const text = await read("yarn.lock");
  if (text === null) return undefined;
  const settings = (await read(".yarnrc.yml")) ?? "";
  const shared = { ...COMMON, folder, program: "yarn", because: joinBelow(folder, "yarn.lock") };
  if (!/^__metadata:/m.test(text))
    return {
      ...shared,
      // Under root Yarn 1 has its cache elsewhere.
      run: "yarn install --offline --frozen-lockfile --non-interactive --cache-folder ~/.cache/yarn",
      inputs: inputs(folder, "yarn.lock", []),
      keeps: keeps(folder, ["node_modules"]),
      caches: ["~/.cache/yarn", COREPACK],
      install: "yarn install --frozen-lockfile --ignore-scripts --cache-folder ~/.cache/yarn",
      makes: "the packages of the lockfile in ~/.cache/yarn",
    };
  // The repository may hold the program itself. Its name becomes part of a command line: a plain path and nothing else.
  const own = /^yarnPath:\s*"?([\w./@+][\w./@+-]*)"?\s*$/m.exec(settings)?.[1];
  const yarn = own === undefined ? "yarn" : `node ${own}`;
  const linked = /^nodeLinker:\s*"?(?:node-modules|pnpm)"?/m.test(settings);
  return {
    ...shared,
    program: own === undefined ? "yarn" : "node",
    run: `YARN_ENABLE_NETWORK=0 YARN_ENABLE_TELEMETRY=0 ${yarn} install --immutable`,
    inputs: inputs(folder, "yarn.lock", [], [".yarnrc.yml"]),
    keeps: keeps(folder, linked ? ["node_modules", ".yarn"] : [".pnp.cjs", ".pnp.loader.mjs", ".yarn"]),
    caches: ["~/.yarn/berry", COREPACK],
    installed: linked ? "node_modules" : ".pnp.cjs",
    install: `${yarn} install --immutable --mode=skip-build`,
    makes: "the packages of the lockfile in ~/.yarn/berry",
  };
}

async function fromBun(folder: string, { read, list }: ProjectFiles): Found {
  const lockfile = (await list(".")).find((name) => name === "bun.lock" || name === "bun.lockb");
  if (lockfile === undefined || (await read("package.json")) === null) return undefined;
  return {
    ...COMMON,
    folder,
    program: "bun",
    run: "bun install --frozen-lockfile",
    inputs: inputs(folder, lockfile, []),
    keeps: keeps(folder, ["node_modules"]),
    caches: ["~/.bun/install/cache"],
    because: joinBelow(folder, lockfile),
    install: "bun install --frozen-lockfile --ignore-scripts",
    makes: "the packages of the lockfile in ~/.bun/install/cache",
  };
}

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
function npmPackages(text: string): string[] {
  try {
    const { packages, dependencies = {} } = JSON.parse(text) as { packages?: object; dependencies?: object };
    // The form of npm 6 and before names packages alone.
    if (packages === undefined) return Object.keys(dependencies).map((name) => `node_modules/${name}`);
    return Object.keys(packages).filter((name) => name !== "");
  } catch {
    return ["?"];
  }
}

/** Returns the folder of a workspace package that holds a dependency of its own, in another version than the others have. */
function ownFolder(place: string): string[] {
  const at = place.indexOf("/node_modules/");
  return at < 0 || place.startsWith("node_modules/") ? [] : [place.slice(0, at)];
}
