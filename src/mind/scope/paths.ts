import { foldPath } from "../../model/fold-path.js";
import { compileGlob, globPrefix, globsOverlap, isPlainPath } from "../../foundation/globs/glob.js";

/*
 * Paths as an agent spells them, and what they really name. A path is only trusted to be inside the workspace when
 * nothing about its spelling leaves a doubt.
 */

/** Where the workspace stands for the agent, and what beside it may be touched. */
export interface SandboxPaths {
  /** Absolute, without a trailing slash. */
  readonly root: string;
  /** Places that vanish with the attempt and may be written. */
  readonly scratch: readonly string[];
  /** Places of the machine that hold programs and nothing private. */
  readonly readable: readonly string[];
}

export const IN_SANDBOX: SandboxPaths = {
  root: "/ws",
  scratch: ["/tmp", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd"],
  readable: [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/etc/os-release",
    "/etc/alternatives",
    "/etc/ssl/certs",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/dev/stdin",
  ],
};

export type PlacedPath =
  | { readonly where: "inside"; readonly path: string }
  | { readonly where: "scratch" | "readable" | "outside" | "unreadable"; readonly path: string };

/** Contract: pure and total. `..` is taken away by text, so links are not followed: the sandbox and the import do that. */
export function placePath(given: string, { root, scratch, readable }: SandboxPaths): PlacedPath {
  const path = given.normalize("NFC");
  // A backslash divides names in one system and is part of a name in another; a control sign is never meant.
  // oxlint-disable-next-line no-control-regex
  if (path === "" || /[\\\0-\x1f\x7f]/.test(path)) return { where: "unreadable", path: given };
  if (/^[A-Za-z]:/.test(path) || path.startsWith("//")) return { where: "outside", path: given };
  if (path.startsWith("~")) return { where: "outside", path };
  const absolute = path.startsWith("/");
  const plain = resolve(absolute ? path : `${root}/${path}`);
  if (plain === root) return { where: "inside", path: "." };
  if (plain.startsWith(`${root}/`)) return { where: "inside", path: plain.slice(root.length + 1) };
  const below = (places: readonly string[]) => places.some((place) => plain === place || plain.startsWith(`${place}/`));
  if (below(scratch)) return { where: "scratch", path: plain };
  return { where: below(readable) ? "readable" : "outside", path: plain };
}

function resolve(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

const CREDENTIALS = [
  "**/{.ssh,.aws,.gnupg,.azure,.kube,.docker,.password-store,.config/gcloud,.config/gh,.config/op}/**",
  "**/{.netrc,_netrc,.git-credentials,.pgpass,.pypirc,.my.cnf,.vault-token,.dockercfg}",
  "**/{id_rsa,id_dsa,id_ecdsa,id_ed25519,shadow,gshadow,sudoers,credentials.json,service-account.json}",
  "**/{.claude,.codex,.gemini}/{.credentials.json,auth.json,oauth_creds.json}",
  "/proc/*/{environ,mem,maps,cmdline}",
  "/proc/*/root/**",
].map((pattern) => compileGlob(pattern));

/** Places where people and machines keep what lets them in. */
export function isKeyPath(given: string): boolean {
  const folded = foldPath(given)
    .replace(/^~[^/]*/, "/home")
    .replace(/^\$\{?home\}?/, "/home");
  const path = isPlainPath(folded) ? folded : resolve(folded).slice(folded.startsWith("/") ? 0 : 1);
  return CREDENTIALS.some((matches) => matches(path));
}

/** Whether a path holds keys, or is a file of a project with its secrets. */
export function isCredentialPath(path: string): boolean {
  return isKeyPath(path) || isEnvironmentFile(foldPath(path));
}

function isEnvironmentFile(path: string): boolean {
  const name = path.split("/").at(-1) ?? "";
  return (
    name === ".env" ||
    name === ".npmrc" ||
    (/^\.env\.[\w.-]+$/.test(name) && !/\.(?:example|sample|template|dist|test|md)$/.test(name))
  );
}

export interface PathSet {
  readonly has: (path: string) => boolean;
  /** Named by a pattern without a wildcard: somebody meant this very path. */
  readonly names: (path: string) => boolean;
  /** A directory on the way to something in the set. */
  readonly leadsTo: (directory: string) => boolean;
  /** Contract: true only if every path the pattern stands for is in the set. */
  readonly covers: (pattern: string) => boolean;
}

export function compilePaths(patterns: readonly string[]): PathSet {
  const normal = patterns.map((pattern) => pattern.normalize("NFC").replace(/^\.\//, ""));
  const compiled = normal.map((pattern) => compileGlob(pattern));
  const literal = new Set(normal.filter((pattern) => !/[*?{]/.test(pattern)));
  const trees = normal.flatMap((pattern) => (pattern === "**" ? [""] : treeOf(pattern)));
  return {
    has: (path) => compiled.some((matches) => matches(path)),
    names: (path) => literal.has(path),
    leadsTo: (directory) => normal.some((pattern) => globsOverlap(`${directory}/**`, pattern)),
    covers: (pattern) => {
      const prefix = globPrefix(pattern.replaceAll("[", "*"));
      const known = normal.includes(pattern);
      // `..` behind a wildcard leads anywhere.
      if (pattern.split("/").includes("..")) return false;
      return known || trees.some((tree) => tree === "" || prefix === tree || prefix.startsWith(`${tree}/`));
    },
  };
}

/** `src/**` holds everything below src; a pattern that goes on behind its wildcard does not. */
function treeOf(pattern: string): string[] {
  const prefix = globPrefix(pattern);
  return pattern === `${prefix}/**` && prefix !== "" ? [prefix] : [];
}
