import { realpath } from "node:fs/promises";
import { CoordinatorError } from "../../model/errors.js";
import { createCgit } from "../git/cgit.js";
import { isNearestCheckout } from "../git/is-nearest-checkout.js";

/* Judges a folder by git: whether it is a checkout that can be worked on, and if not, why and what to do about it. */

export type Checkout =
  | { readonly kind: "checkout"; readonly top: string }
  /** No repository at all: one may be made here. */
  | { readonly kind: "none"; readonly error: CoordinatorError }
  | { readonly kind: "unsuitable"; readonly error: CoordinatorError };

/** Contract: never throws. Whether there is a commit is not asked. */
export async function checkoutAt(folder: string, path: string): Promise<Checkout> {
  const place = await realpath(folder).catch(() => null);
  if (place === null)
    return {
      kind: "unsuitable",
      error: unsuitableError(`There is no folder ${folder}.`, "Name the folder of a git checkout."),
    };
  const { code, stdout, stderr, stopped } = await createAsk(place, path)("--show-toplevel");
  // Inside of a git directory git names no top and is content.
  if (code !== 0 || stdout === "") return notACheckout(place, code === 0 ? "bare repository" : stderr, stopped);
  if (!(await isNearestCheckout(stdout, place))) return { kind: "unsuitable", error: errorElsewhere(place, stdout) };
  return { kind: "checkout", top: stdout };
}

function errorElsewhere(place: string, top: string): CoordinatorError {
  return unsuitableError(
    `The settings of the repository around ${place} (core.worktree) say that its files are in ${top}.`,
    "If you set that yourself, work in a plain clone: git clone REPOSITORY FOLDER. If not, find out where this folder came from first.",
  );
}

/** Contract: throws REPOSITORY_UNSUITABLE, with a fix, for what cannot be worked on. */
export async function examineCheckout(repository: string, path: string) {
  return (await askAtOnce(repository, path)) ?? askOneByOne(repository, path);
}

/** All that is asked of a checkout in one call of git; null when something is wrong, and a message must say why. */
async function askAtOnce(repository: string, path: string) {
  const place = await realpath(repository).catch(() => null);
  if (place === null) return null;
  const wanted = ["--show-toplevel", "--path-format=absolute", "--git-common-dir", "--show-object-format"];
  const { code, stdout } = await createAsk(place, path)(...wanted, "--verify", "HEAD^{commit}");
  const [top, common, format, commit, ...more] = stdout.split("\n");
  // A path may hold a line break: then the lines are not what they seem.
  if (code !== 0 || !top || !common || !format || !commit || more.length > 0) return null;
  if (!(await isNearestCheckout(top, place))) return null;
  return checkoutOf(top, common, format);
}

async function askOneByOne(repository: string, path: string) {
  const found = await checkoutAt(repository, path);
  if (found.kind !== "checkout") throw found.error;
  const ask = createAsk(await realpath(repository), path);
  const common = await ask("--path-format=absolute", "--git-common-dir");
  const format = await ask("--show-object-format");
  if (common.code !== 0 || format.code !== 0)
    throw unsuitableError(
      `git could not say what ${repository} is: ${common.stderr}${format.stderr}`,
      "Run git fsck in it.",
    );
  if ((await ask("--verify", "--quiet", "HEAD^{commit}")).code !== 0)
    throw unsuitableError(`${found.top} has no commit yet.`, "Make a first one: git commit --allow-empty -m start");
  return checkoutOf(found.top, common.stdout, format.stdout);
}

async function checkoutOf(top: string, common: string, format: string) {
  return {
    checkout: await realpath(top),
    userGitDir: await realpath(common),
    objectFormat: format === "sha256" ? ("sha256" as const) : ("sha1" as const),
  };
}

function createAsk(folder: string, path: string) {
  const git = createCgit({ path, cwd: folder, ceilings: [] });
  return async (...args: string[]) => {
    const { code, stdout, stderr, stopped } = await git.call({ args: ["rev-parse", ...args], cwd: folder });
    return { code, stdout: stdout.toString("utf8").replace(/\n$/, ""), stderr, stopped };
  };
}

function notACheckout(folder: string, stderr: string, stopped: string | null): Checkout {
  const no = (message: string, fix: string): Checkout => ({ kind: "unsuitable", error: unsuitableError(message, fix) });
  if (stopped === "unavailable") return no("git could not be started.", "Install git and see that it is in PATH.");
  if (/dubious ownership/.test(stderr))
    return no(
      `${folder} belongs to another user, so git does not trust it.`,
      "Run as its owner, or make it yours (chown).",
    );
  if (/bare repository|must be run in a work tree/.test(stderr))
    return no(
      `${folder} is a bare repository or lies inside of a git directory.`,
      "Name a checkout of it: git clone REPOSITORY FOLDER",
    );
  if (!/not a git repository/.test(stderr))
    return no(`git does not accept ${folder}: ${stderr.trim()}`, "Run git status in it.");
  const fix = "Make it one: git init, then commit what is there. Agents work on copies of a commit.";
  return { kind: "none", error: unsuitableError(`${folder} is in no git repository`, fix) };
}

export function unsuitableError(message: string, fix: string): CoordinatorError {
  return new CoordinatorError("REPOSITORY_UNSUITABLE", message, { fix });
}
