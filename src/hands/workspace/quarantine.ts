import { createHash, randomUUID } from "node:crypto";
import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isBelow } from "../../foundation/files/is-below.js";
import { readFile } from "../../foundation/files/read-files.js";
import { copyFile, mkdir, rename, rm, writeFile } from "../../foundation/files/write-files.js";
import { crashPoint } from "../../foundation/processes/crash-points.js";
import { CoordinatorError } from "../../model/errors.js";
import { examineCheckout, unsuitableError } from "./checkout.js";
import { type Cgit, createCgit } from "../git/cgit.js";
import { makeStateDirectory } from "./state-places.js";

/*
 * The quarantine repository of a project: the only place between an agent's files and the user's repository. It stands
 * outside of both, reads the user's objects and never writes to them; what has passed the gates is fetched from it into
 * `refs/coord/*` of the user's repository, which is all that is ever written there.
 */

export interface Quarantine {
  /** The user's checkout, and the git directory all its checkouts share. */
  readonly checkout: string;
  readonly userGitDir: string;
  /** Where everything of this project is kept, outside of the user's repository. */
  readonly directory: string;
  readonly gitDir: string;
  readonly objectFormat: "sha1" | "sha256";
  readonly git: Cgit;
  /** Contract: a name nobody else uses, for a file that may be lost. */
  readonly temporary: (purpose: string) => string;
  /** Contract: the full id of a commit of the user's repository; throws NOT_FOUND. */
  readonly resolve: (revision: string) => Promise<string>;
  /** Keeps a base from being collected as long as something is built on it. */
  readonly holdBase: (commit: string) => Promise<void>;
  /** Refs under `refs/coord/` with their commits, in the quarantine or in the user's repository. */
  readonly refs: (where: "quarantine" | "repository", prefix?: string) => Promise<ReadonlyMap<string, string>>;
  /** Name a commit in the quarantine. It is durable from here on. */
  readonly keep: (ref: string, commit: string) => Promise<void>;
  /** Copy refs of the quarantine into the user's repository, every new object checked. Says why when git refused. */
  readonly publish: (refs: readonly string[]) => Promise<{ readonly refused: string | null }>;
  /** Contract: removes refs under `refs/coord/` and no others, from both repositories. */
  readonly forget: (refs: readonly string[]) => Promise<void>;
}

export interface QuarantineOptions {
  /** Any folder of the user's checkout. */
  readonly repository: string;
  /** PATH, HOME and XDG_STATE_HOME are looked at. */
  readonly environment: NodeJS.ProcessEnv;
  /** Where the state of all projects is kept; that of the user's system when absent. */
  readonly stateDirectory?: string;
}

const COORD_REF = /^refs\/coord\/[A-Za-z0-9_][\w./-]*$/;

/** Open the quarantine of a repository, or make it. Contract: throws REPOSITORY_UNSUITABLE for what cannot be worked on. */
export async function openQuarantine(options: QuarantineOptions): Promise<Quarantine> {
  const path = options.environment["PATH"] ?? "";
  const { checkout, userGitDir, objectFormat } = await examineCheckout(options.repository, path);
  const directory = join(await makeStateDirectory(options), `${folderName(checkout)}-${shortHash(userGitDir)}`);
  if (isBelow(directory, checkout) || isBelow(directory, userGitDir))
    throw unsuitableError(`The state directory ${directory} lies inside of the repository.`, "Name one outside of it.");
  const gitDir = join(directory, "quarantine.git");
  await mkdir(join(directory, "temporary"), { recursive: true, mode: 0o700 });
  const git = createCgit({ path, cwd: directory, ceilings: [dirname(directory), directory] });
  await initialise(git, { directory, gitDir, userGitDir, objectFormat });
  return {
    checkout,
    userGitDir,
    directory,
    gitDir,
    objectFormat,
    git,
    temporary: (purpose) => join(directory, "temporary", `${purpose}-${randomUUID()}`),
    async resolve(revision) {
      const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
      // The quarantine sees all objects; names are the user's, and HEAD is that of the checkout somebody stands in.
      const isId = /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(revision);
      const { code, stdout } = await git.call({ ...(isId ? { gitDir } : { cwd: checkout }), args });
      if (code === 0) return stdout.toString("latin1").trim();
      throw new CoordinatorError("NOT_FOUND", `The repository has no commit ${revision}.`, {
        fix: "Name a commit or a branch of it.",
      });
    },
    holdBase: (commit) => holdBase(git, userGitDir, gitDir, commit),
    refs: (where, prefix = "refs/coord/") => listRefs(git, where === "quarantine" ? gitDir : userGitDir, prefix),
    async keep(ref, commit) {
      mustBeOurs(ref);
      await git.must("Writing a ref", { gitDir, args: ["update-ref", ref, commit] });
    },
    async publish(refs) {
      const trial = join(directory, "temporary", `trial-${randomUUID()}`);
      try {
        return await publish(git, { gitDir, userGitDir, objectFormat, trial }, refs);
      } finally {
        await rm(trial, { recursive: true, force: true });
      }
    },
    async forget(refs) {
      refs.forEach(mustBeOurs);
      const input = refs.map((ref) => `delete ${ref}\n`).join("");
      for (const where of [userGitDir, gitDir])
        await git.must("Removing refs", { gitDir: where, args: ["update-ref", "--stdin", "--no-deref"], input });
    },
  };
}

function mustBeOurs(ref: string): void {
  // INVARIANT: nothing but refs/coord/* is ever written to the user's repository.
  if (!COORD_REF.test(ref) || ref.includes("..") || ref.endsWith(".lock") || ref.endsWith("/"))
    throw new TypeError(`${ref} is not a ref of the Coordinator`);
}

interface Publishing extends Pick<Place, "gitDir" | "userGitDir" | "objectFormat"> {
  /** A repository for a moment. */
  readonly trial: string;
}

/**
 * INVARIANT: the user's repository gets only what git has accepted in a trial. A fetch that is refused leaves its
 * objects behind, and git takes what is there already for checked.
 */
async function publish(git: Cgit, { gitDir, userGitDir, objectFormat, trial }: Publishing, refs: readonly string[]) {
  if (refs.length === 0) return { refused: null };
  refs.forEach(mustBeOurs);
  await git.must("Making a repository for a trial", {
    args: ["init", "--quiet", "--bare", "--template=", `--object-format=${objectFormat}`, trial],
  });
  await mkdir(join(trial, "objects", "info"), { recursive: true });
  await writeFile(join(trial, "objects", "info", "alternates"), `${quotedAlternate(join(userGitDir, "objects"))}\n`);
  await copyFile(join(userGitDir, "shallow"), join(trial, "shallow")).catch(() => undefined);
  for (const into of [trial, userGitDir]) {
    const { code, stopped, stderr } = await git.call({
      gitDir: into,
      transfer: true,
      args: [
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--atomic",
        `file://${gitDir}`,
        ...refs.map((ref) => `+${ref}:${ref}`),
      ],
      timeoutMs: 600_000,
    });
    if (code !== 0) return { refused: stderr.trim().split("\n").slice(-3).join(" ") || String(stopped) };
  }
  crashPoint("workspace.ref_written");
  return { refused: null };
}

async function holdBase(git: Cgit, userGitDir: string, gitDir: string, commit: string): Promise<void> {
  // A commit of our own stays in the quarantine, which never collects anything.
  const isTheirs = (await git.call({ gitDir: userGitDir, args: ["cat-file", "-e", commit] })).code === 0;
  const ref = `refs/coord/bases/${commit}`;
  // Many attempts and runs begin on one base at once: git lets some of them fail on the lock of a ref that another writes.
  const isHeld = async () =>
    (await git.call({ gitDir: userGitDir, args: ["rev-parse", "--verify", "--quiet", ref] })).code === 0;
  if (isTheirs && !(await isHeld())) {
    const written = await git.call({ gitDir: userGitDir, args: ["update-ref", ref, commit] });
    if (written.code !== 0 && !(await isHeld()))
      await git.must("Holding the base", { gitDir: userGitDir, args: ["update-ref", ref, commit] });
  }
  // Where the user's history ends, ours does too.
  const shallow = join(userGitDir, "shallow");
  if (await lstat(shallow).catch(() => null)) await copyFile(shallow, join(gitDir, "shallow"));
  else await rm(join(gitDir, "shallow"), { force: true });
}

async function listRefs(git: Cgit, gitDir: string, prefix: string): Promise<Map<string, string>> {
  const output = await git.must("Listing refs", {
    gitDir,
    args: ["for-each-ref", "--format=%(objectname) %(refname)", prefix],
  });
  const lines = output.toString("latin1").split("\n").filter(Boolean);
  return new Map(lines.map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))]));
}

interface Place {
  readonly directory: string;
  readonly gitDir: string;
  readonly userGitDir: string;
  readonly objectFormat: string;
}

/** INVARIANT: the quarantine is made beside its place and renamed into it whole, so runs that begin at once share one. */
async function initialise(git: Cgit, place: Place): Promise<void> {
  const { directory, gitDir, userGitDir } = place;
  if ((await lstat(gitDir).catch(() => null)) === null) {
    const draft = join(directory, "temporary", `quarantine-${randomUUID()}`);
    await makeRepository(git, draft, place);
    await renameUnlessThere(draft, gitDir);
  }
  // A repository that was moved is found again under its new name.
  await replaceFile(join(gitDir, "objects", "info", "alternates"), `${quotedAlternate(join(userGitDir, "objects"))}\n`);
}

async function makeRepository(git: Cgit, gitDir: string, { directory, objectFormat }: Place): Promise<void> {
  await git.must("Making the quarantine repository", {
    args: ["init", "--quiet", "--bare", "--template=", `--object-format=${objectFormat}`, gitDir],
    cwd: directory,
  });
  await git.must("Setting up the quarantine repository", { gitDir, args: ["config", "core.bare", "false"] });
  await mkdir(join(gitDir, "info"), { recursive: true });
  await mkdir(join(gitDir, "objects", "info"), { recursive: true });
}

async function renameUnlessThere(draft: string, path: string): Promise<void> {
  try {
    await rename(draft, path);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    await rm(draft, { recursive: true, force: true });
  }
}

/** INVARIANT: whole at every moment. Others use the quarantine meanwhile, and git without alternates misses objects. */
async function replaceFile(path: string, text: string): Promise<void> {
  if ((await readFile(path, "utf8").catch(() => null)) === text) return;
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, text);
  await rename(draft, path);
}

/** Git reads a line that begins with a quote as a quoted one; a line break could not be said otherwise. */
export function quotedAlternate(path: string): string {
  return /["\n\\]|^#/.test(path) ? `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"` : path;
}

/** The name that people know it by. Git takes names in lines, so a line's end must not be in one. */
const folderName = (checkout: string) => basename(checkout).replaceAll(/\p{Cc}/gu, "_");
const shortHash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12);
