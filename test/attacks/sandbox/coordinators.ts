import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { findAbilities } from "../../../src/hands/sandbox/grade.js";
import type { Order, Told } from "./coordinator.js";

/* What the attacks on the sandbox share: Coordinators to start, as whom, and a place to work in. */

export const STRONG = findAbilities().grade === "strong";
const isRoot = process.getuid?.() === 0;
/** As root, everything is tried as root and as somebody without any rights; otherwise as whoever runs the tests. */
export const COORDINATORS: readonly { readonly name: string; readonly uid: number | null }[] = isRoot
  ? [
      { name: "root", uid: null },
      { name: "uid 1001", uid: 1001 },
    ]
  : [{ name: `uid ${process.getuid?.()}`, uid: null }];

/** A place everybody can come to, with the Coordinator in it as plain JavaScript. */
export async function prepare(
  entry = fileURLToPath(new URL("./coordinator.ts", import.meta.url)),
): Promise<{ folder: string; program: string; remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-attacks-"));
  chmodSync(folder, 0o755);
  await build({
    root: fileURLToPath(new URL("../../..", import.meta.url)),
    configFile: false,
    logLevel: "silent",
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      outDir: join(folder, "program"),
      rollupOptions: { output: { entryFileNames: "coordinator.mjs" } },
    },
  });
  return {
    folder,
    program: join(folder, "program", "coordinator.mjs"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function startCoordinator(
  program: string,
  uid: number | null,
  order: Order,
  env: Readonly<Record<string, string>> = {},
  inherited?: number,
): ChildProcess {
  return spawn(process.execPath, [program, JSON.stringify(order)], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", TMPDIR: tmpdir(), HOME: "/nonexistent", ...env },
    stdio: [
      "ignore",
      "pipe",
      "pipe",
      ...(inherited === undefined ? [] : [...Array<"ignore">(17).fill("ignore"), inherited]),
    ],
    ...(uid === null ? {} : { uid, gid: uid }),
  });
}

export async function told(child: ChildProcess): Promise<Told> {
  const [said, complaints] = await Promise.all([text(child.stdout as never), text(child.stderr as never)]);
  try {
    return JSON.parse(said) as Told;
  } catch {
    throw new Error(`The Coordinator said: ${said}\n${complaints}`);
  }
}

/** The running processes of this machine on whose command line a text stands. */
export function processesWith(mark: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid) || pid === process.pid) return false;
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return line.includes(mark) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
      } catch {
        return false;
      }
    });
}

/** A directory of the Coordinator's own. */
export function ownFolder(uid: number | null, path: string): string {
  mkdirSync(path, { recursive: true });
  if (uid !== null) chownSync(path, uid, uid);
  return path;
}

/** Contract: null when there is no C compiler; whoever needs one says that it was left out. */
export function compileC(name: string, into: string): string | null {
  const source = fileURLToPath(new URL(`./${name}.c`, import.meta.url));
  const program = join(into, name);
  try {
    execFileSync("cc", ["-O1", "-o", program, source], { stdio: "pipe" });
    chmodSync(program, 0o755);
    return program;
  } catch {
    return null;
  }
}

export function copyInto(name: string, folder: string): void {
  cpSync(fileURLToPath(new URL(`./${name}`, import.meta.url)), join(folder, name));
}
