import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readdirSync, readFileSync } from "../../foundation/files/read-files.js";
import { CoordinatorError } from "../../model/errors.js";
import { isPlainPath } from "../../foundation/globs/glob.js";
import type { People } from "./shown/secret-places.js";
import { isAlwaysSeen, requireShowable } from "./shown/shown-places.js";

/* The layout of a sandbox inside. A path that is not named here is not there. */

export const ROOT = "/ws";
export const HOME = "/home/agent";
export const TMP = "/tmp";
export const SOCKETS = "/run/coordinator";
export const OWN = "/opt/coordinator";
const NODE = "/opt/node";

export interface Mount {
  readonly from: string;
  readonly to: string;
  readonly writable?: boolean;
}

/** Parts of /etc that programs need to run and that hold no secret. Users, hosts and names are written anew instead. */
const ETC = [
  "alternatives",
  "ssl/certs",
  "ssl/openssl.cnf",
  "ca-certificates",
  "ca-certificates.conf",
  "pki/tls/certs",
  "pki/tls/openssl.cnf",
  "pki/ca-trust/extracted",
  "crypto-policies",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "protocols",
  "services",
  "os-release",
];

/**
 * Settings that Debian keeps in /etc and links to from /usr: without them neither Java nor Maven starts, and PHP
 * has no extensions. Left out is what may hold a password: the access of Java's remote management, the servers of Maven, and
 * the settings of PHP beside the names of extensions.
 */
function toolSettings(): string[] {
  const inside = (folder: string) => (existsSync(`/etc/${folder}`) ? readdirSync(`/etc/${folder}`) : []);
  const java = inside("").filter((name) => /^java-\d+-openjdk$/.test(name));
  return [
    ...java.flatMap((folder) => inside(folder).flatMap((name) => (name === "management" ? [] : [`${folder}/${name}`]))),
    "maven/m2.conf",
    "maven/logging",
    ...inside("php").flatMap((version) => {
      const folder = `php/${version}/cli/conf.d`;
      return inside(folder).flatMap((name) => (loadsExtension(`/etc/${folder}/${name}`) ? [`${folder}/${name}`] : []));
    }),
  ];
}

/** Whether a file of PHP's settings does nothing but load an extension. Others may hold keys and passwords. */
function loadsExtension(file: string): boolean {
  let text = "";
  try {
    text = readFileSync(realpathSync(file), "utf8");
  } catch {
    return false; // A link that leads nowhere, or a file that is not for everybody.
  }
  const lines = text.split("\n");
  const said = lines.filter((line) => line.trim() !== "" && !/^\s*[;#]/.test(line));
  return said.length > 0 && said.every((line) => /^(?:zend_)?extension\s*=\s*"?[\w./-]+"?\s*$/.test(line));
}

/** `/usr`, and the old names beside it: links on most systems, directories on some. */
export function systemMounts(): { mounts: Mount[]; links: [to: string, at: string][] } {
  const beside = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"].filter((path) => existsSync(path));
  const isLink = (path: string) => lstatSync(path).isSymbolicLink();
  const whole = ["/usr", ...beside.filter((path) => !isLink(path)), "/nix/store"].filter((path) => existsSync(path));
  const etc = [...ETC, ...toolSettings()].map((name) => `/etc/${name}`).filter((path) => existsSync(path));
  return {
    mounts: [...whole, ...etc].map((path) => ({ from: path, to: path })),
    links: beside.filter(isLink).map((path) => [readlinkSync(path), path]),
  };
}

const ROOTS_TO_WRITE = ["sys", "irq", "bus", "fs", "acpi", "scsi", "driver", "mtrr", "sysrq-trigger"];
const ROOTS_TO_READ = ["kcore", "kmsg", "keys", "kpagecount", "kpageflags", "kpagecgroup", "slabinfo", "timer_list"];

/**
 * Lists parts of /proc that belong to root. A sandbox without a user of its own, of a Coordinator that is root, would own it: the
 * kernel's settings, one of which names a program that the kernel starts as root outside of every sandbox.
 */
export function coversOfProc(): Mount[] {
  const there = (names: readonly string[]) => names.map((name) => `/proc/${name}`).filter((path) => existsSync(path));
  return [
    ...there(ROOTS_TO_WRITE).map((path) => ({ from: path, to: path })),
    ...there(ROOTS_TO_READ).map((path) => ({ from: "/dev/null", to: path })),
  ];
}

/** Node.js itself, when it stands outside of /usr: the program and what npm needs, never the folder around them. */
export function nodeMounts(program: string = process.execPath): { mounts: Mount[]; links: [string, string][] } {
  const real = realpathSync(program);
  if (isAlwaysSeen(real)) return { mounts: [], links: [] };
  const modules = join(dirname(dirname(real)), "lib", "node_modules");
  const npm = existsSync(join(modules, "npm", "bin"));
  return {
    mounts: [
      { from: real, to: `${NODE}/bin/node` },
      ...(npm ? [{ from: join(modules, "npm"), to: `${NODE}/lib/node_modules/npm` }] : []),
    ],
    links: npm
      ? ["npm", "npx"].map((name) => [`../lib/node_modules/npm/bin/${name}-cli.js`, `${NODE}/bin/${name}`])
      : [],
  };
}

const SEARCH_PATH = `${NODE}/bin:/usr/local/bin:/usr/bin:/bin`;

/** Where Node.js stands inside. */
export function nodeInside(program: string = process.execPath): string {
  return nodeMounts(program).mounts[0]?.to ?? realpathSync(program);
}

/**
 * Toolchains stand inside where they stand outside: their programs name each other by that place.
 *
 * Contract: throws USAGE as `programMounts` does, and for a folder that is not there.
 */
export function toolMounts(folders: readonly string[], people?: People): { mounts: Mount[]; path: string } {
  const real = folders.map((folder) => {
    if (!existsSync(folder))
      throw new CoordinatorError("USAGE", `The tools in ${folder} are not there`, {
        fix: "Take the folder out of workspace.tools in coordinator.yaml, or install what belongs there.",
      });
    return requireShowable(folder, people);
  });
  const shown = real.filter((folder) => !isAlwaysSeen(folder));
  const searched = real
    .filter((folder) => lstatSync(folder).isDirectory())
    .map((folder) => (existsSync(join(folder, "bin")) ? join(folder, "bin") : folder));
  return {
    mounts: shown.map((folder) => ({ from: folder, to: folder })),
    path: [...searched, SEARCH_PATH].join(":"),
  };
}

/**
 * Folders of programs, each at a neutral place: its real one may name a user.
 *
 * Contract: throws USAGE for a path that would show more than a program, as `requireShowable` says.
 */
export function programMounts(paths: readonly string[], people?: People): Mount[] {
  return paths.flatMap((path, i) => {
    const real = requireShowable(path, people);
    return isAlwaysSeen(real) ? [{ from: real, to: real }] : [{ from: real, to: `/opt/${i}/${basename(real)}` }];
  });
}

/**
 * Contract: the real path of something in the workspace. Throws USAGE when the path is not plain or a link stands on the
 * way: a bind would follow it to wherever it leads.
 */
export function insideWorkspace(workspace: string, path: string): string {
  const refuse = (why: string) => {
    throw new CoordinatorError("USAGE", `${path} cannot be mounted: ${why}`, {
      fix: "Name directories of the workspace from its root.",
    });
  };
  if (!isPlainPath(path) || path.startsWith("/")) refuse("it is not a plain path from the root of the workspace");
  let at = workspace;
  for (const part of path.split("/")) {
    at = join(at, part);
    // Not existsSync: that follows a link, and does not see one that leads nowhere yet.
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true) refuse("a link is on the way");
  }
  return at;
}
