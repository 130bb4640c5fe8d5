import type { ProjectFiles } from "./detected-check.js";
import { onPath } from "./find-tools.js";
import { bundlerPart, cargoPart, composerPart, goPart, gradlePart, mavenPart } from "./setup/compiled.js";
import { hasFolder, type Machine, pythonPlaces } from "./setup/machine.js";
import { nestedFolders } from "./setup/nested-folders.js";
import { nodePart } from "./setup/node.js";
import { filesIn, type SetupPart } from "./setup/part.js";
import { pythonParts } from "./setup/python.js";

/*
 * How a workspace could be made ready, told from the lockfiles and manifests of a project. Inside a workspace there is
 * no network: every command takes its packages from a cache of this machine. Packages that have to be put into those caches first
 * is proposed, to be run outside by anyone who agrees to it.
 */

export interface SuggestedSetup {
  readonly run: string;
  readonly build?: string;
  readonly inputs: readonly string[];
  readonly keeps: readonly string[];
  readonly mounts: readonly string[];
  readonly caches: readonly string[];
  /** Run outside of the sandbox and with the network: puts what it needs into the caches. */
  readonly install: string;
  /** The programs it calls. */
  readonly programs: readonly string[];
  readonly because: string;
  /** False: known to be right in general and not tried by us; anyone who wants it has to look at it. */
  readonly tried: boolean;
}

/** Outside of the sandbox, with the network, and only when a person agrees. */
export interface InstallProposal {
  /** From the root of the repository; "." for the root. */
  readonly folder: string;
  /** Run there. */
  readonly command: string;
  /** The missing thing. */
  readonly because: string;
  /** The files it makes, in words. */
  readonly makes: string;
  /** The program that is not installed; then the command cannot be run before it is. */
  readonly missing?: string;
}

/** Null when there is nothing to be installed, or nothing we know how to install. */
export async function detectSetup(files: ProjectFiles, machine?: Machine): Promise<SuggestedSetup | null> {
  const all = await partsOf(files, machine);
  const usable = all.filter(({ part, state }) => state === "installed" || (part.folder === "." && state === "unknown"));
  const sure = usable.filter(({ part, state }) => part.tried || state === "installed");
  // One part that cannot be relied on would keep the others from being used.
  const used = sure.length > 0 ? sure : usable;
  if (used.length === 0) return null;
  const parts = used.map(({ part }) => part);
  const union = (pick: (part: SetupPart) => readonly string[]) => [...new Set(parts.flatMap(pick))];
  const inFolder = (folder: string, run: string) => (folder === "." ? run : `(cd ${quoteFolder(folder)} && ${run})`);
  const builds = parts.flatMap(({ folder, build }) => (build === undefined ? [] : [inFolder(folder, build)]));
  return {
    run: parts.map(({ folder, run }) => inFolder(folder, run)).join(" && "),
    ...(builds.length === 0 ? {} : { build: builds.join(" && ") }),
    inputs: union(({ inputs }) => inputs).slice(0, 100),
    keeps: union(({ keeps }) => keeps).slice(0, 50),
    mounts: union(({ mounts }) => mounts).slice(0, 20),
    caches: union(({ caches }) => caches).slice(0, 20),
    install: parts.map(({ folder, install }) => inFolder(folder, install)).join(" && "),
    programs: union(({ program }) => [program]),
    because: parts.map(({ because }) => because).join(", "),
    tried: used === sure,
  };
}

/** Proposes installs that have to be run outside of the sandbox first. Contract: only looks; empty when everything seems to be there. */
export async function proposeInstall(files: ProjectFiles, machine: Machine): Promise<InstallProposal[]> {
  return (await partsOf(files, machine)).flatMap(({ part, state }): InstallProposal[] => {
    const { folder, install: command, makes, because, program, unlocked } = part;
    const about = { folder, command, makes };
    if (state === "no_program")
      return [{ ...about, because: `${because} is for ${program}, which is not installed`, missing: program }];
    if (state === "installed") return [];
    const why = unlocked ? "there is no lockfile beside it" : "its packages have not been installed here";
    return [{ ...about, because: `${because}: ${why}, and inside the sandbox there is no network` }];
  });
}

interface PlacedPart {
  readonly part: SetupPart;
  /** `unknown`: nothing shows that its packages were ever fetched to this machine. */
  readonly state: "installed" | "unknown" | "no_program";
}

async function partsOf(files: ProjectFiles, machine: Machine | undefined): Promise<PlacedPart[]> {
  const python = machine === undefined ? null : pythonPlaces(machine);
  const placed: PlacedPart[] = [];
  for (const folder of [".", ...(await nestedFolders(files))]) {
    const seen = filesIn(files, folder);
    const found = [
      await nodePart(folder, seen),
      chooseInstalled(await pythonParts(folder, seen, python), machine),
      await goPart(folder, seen),
      await cargoPart(folder, seen),
      await mavenPart(folder, seen),
      (await seen.read("pom.xml")) === null ? await gradlePart(folder, seen) : null,
      await composerPart(folder, seen),
      await bundlerPart(folder, seen),
    ];
    for (const part of found) if (part !== null) placed.push({ part, state: await stateOf(part, seen, machine) });
  }
  return placed;
}

/** The first whose program is installed here: many lockfiles have a way without them. */
function chooseInstalled(parts: readonly SetupPart[], machine: Machine | undefined): SetupPart | null {
  const isHere = ({ program }: SetupPart) => machine === undefined || onPath(program, machine.path) !== null;
  return parts.find(isHere) ?? parts[0] ?? null;
}

async function stateOf(
  { program, installed, caches, tried }: SetupPart,
  { list }: ProjectFiles,
  machine: Machine | undefined,
): Promise<PlacedPart["state"]> {
  if (machine === undefined) return "unknown";
  if (onPath(program, machine.path) === null) return "no_program";
  if (program === "python3") return tried ? "installed" : "unknown";
  if (installed !== null) return (await list(".")).includes(installed) ? "installed" : "unknown";
  const isFilled = (cache: string) => hasFolder(cache.replace(/^~/, machine.home));
  return caches.length === 0 || caches.some(isFilled) ? "installed" : "unknown";
}

function quoteFolder(folder: string): string {
  return /^[\w./@+-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", `'\\''`)}'`;
}
