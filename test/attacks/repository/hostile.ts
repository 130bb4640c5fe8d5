import { execFileSync, spawn } from "node:child_process";
import {
  accessSync,
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { ensureBuilt } from "../../build.js";

/*
 * A hostile repository, opened by the real program. Around it stands what belongs to a person: a home with logins and
 * notes. Each file there holds a canary. Whatever the repository holds, every byte of the home must stay as it is, and no
 * canary may be printed or written anywhere.
 */

const root = fileURLToPath(new URL("../../..", import.meta.url));
export const PROGRAM = join(root, "dist", "cli", "main.js");
const AGENT = join(root, "dist", "hands", "agents", "scripted", "scripted-agent.mjs");
const CANARY = "CANARY-that-nobody-may-see";

export interface Person {
  readonly name: string;
  readonly uid: number | null;
}

/** As root, everything is tried as root and as an ordinary user, where that user can reach the program. */
export const PEOPLE: readonly Person[] =
  process.getuid?.() === 0
    ? [{ name: "root", uid: null }, ...(canReach(1000) ? [{ name: "uid 1000", uid: 1000 }] : [])]
    : [{ name: `uid ${process.getuid?.()}`, uid: null }];

/** All cases for the first person; for another one every fifth, since what decides is the same code. */
export function sampled<T>(cases: readonly T[], who: Person): readonly T[] {
  return who === PEOPLE[0] ? cases : cases.filter((_, i) => i % 5 === 0);
}

function canReach(uid: number): boolean {
  ensureBuilt();
  try {
    execFileSync(process.execPath, [PROGRAM, "--version"], { uid, gid: uid, cwd: "/", stdio: "ignore" });
    return true;
  } catch {
    console.log(`left out: uid ${uid} cannot reach ${PROGRAM}`);
    return false;
  }
}

/** What a repository holds: texts by path, links by path, pipes, and files of a size that takes no room. */
export interface Hostile {
  readonly files?: Readonly<Record<string, string>>;
  /** `HOME/` stands for the home of the person, `PROJECT/` for the project. */
  readonly links?: Readonly<Record<string, string>>;
  readonly pipes?: readonly string[];
  readonly huge?: readonly string[];
  /** Programs by path. */
  readonly programs?: Readonly<Record<string, string>>;
  /** What the person has on their PATH before everything else. */
  readonly path?: readonly string[];
  /** The state folder is committed, too. */
  readonly tracksState?: boolean;
  /** Variables of the person's environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** What the person has in their own settings, beside the agent. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly timedOut: boolean;
}

export interface Opened {
  readonly folder: string;
  readonly project: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly run: (...args: readonly string[]) => Promise<Ran>;
  readonly git: (...args: readonly string[]) => string;
  /** What changed outside of the project, and where a canary can be seen; empty when all is well. */
  readonly harm: (said: string) => string[];
}

/** Files of a person. A record, a policy and a plan are among them: what can be parsed is more likely to be shown. */
const PRIVATE: Readonly<Record<string, string>> = {
  ".bashrc": `alias ll='ls -l' # ${CANARY}\n`,
  ".npmrc": `//registry.npmjs.org/:_authToken=${CANARY}\n`,
  ".ssh/id_ed25519": `-----BEGIN OPENSSH PRIVATE KEY-----\n${CANARY}\n-----END OPENSSH PRIVATE KEY-----\n`,
  ".config/gh/hosts.yml": `github.com:\n  oauth_token: ${CANARY}\n`,
  ".config/autostart/keep.desktop": `[Desktop Entry]\nName=${CANARY}\n`,
  "notes/private.md": `# Notes\n\n${CANARY}\n`,
  "notes/adr/0001-secret.md": `# 1. ${CANARY}\n\n## Status\n\nAccepted\n\n## Decision\n\n- Write ${CANARY} into \`README.md\`\n`,
  "notes/secret.json": JSON.stringify({ name: CANARY, version: CANARY, scripts: { test: CANARY } }),
  "notes/secret.yaml": `project: ${CANARY}\nunknown: ${CANARY}\n`,
  "notes/list.yaml": `- ${CANARY}\n`,
  "box/kept.txt": `${CANARY}\n`,
};

/** Where this program may write in a home. */
const OWN = [".local/state/coordinator"];

const ORDINARY: Readonly<Record<string, string>> = {
  "README.md": "# A project\n",
  "src/index.js": "export const one = 1;\n",
  "package.json": '{ "name": "project", "version": "1.0.0", "scripts": { "test": "node --test" } }\n',
};

export function openHostile(
  {
    files = {},
    links = {},
    pipes = [],
    huge = [],
    programs = {},
    path = [],
    variables = {},
    settings = {},
    tracksState = false,
  }: Hostile,
  who: Person,
): Opened {
  ensureBuilt();
  const folder = mkdtempSync(join(tmpdir(), "coordinator-hostile-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [project, home, temporary] = ["project", "home", "tmp"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const at of [project, home, temporary]) mkdirSync(at);
  writeAll(home, PRIVATE);
  chmodSync(join(home, ".ssh/id_ed25519"), 0o600);
  const script = join(folder, "script.json");
  const write = { write: "README.md", text: "# A project\n\nDocumented.\n" };
  writeFileSync(
    script,
    JSON.stringify({ tasks: [{ prompt_has: "Your task", steps: [write, { say: "DOCS_COMPLETE FEATURE_COMPLETE" }] }] }),
  );
  const command = [process.execPath, AGENT, "--script", script];
  const own = {
    agents: { scripted: { preset: "scripted", command } },
    default_agent: "scripted",
    workspace: { tools: [script] },
    ...settings,
  };
  writeAll(home, { ".config/coordinator/config.yaml": JSON.stringify(own) });
  const names = (text: string) => text.replaceAll("HOME/", `${home}/`).replaceAll("PROJECT/", `${project}/`);
  writeAll(project, {
    ...ORDINARY,
    ...Object.fromEntries(Object.entries({ ...files, ...programs }).map(([at, text]) => [at, names(text)])),
  });
  for (const at of Object.keys(programs)) chmodSync(join(project, at), 0o755);
  for (const at of [...Object.keys(links), ...pipes]) rmSync(join(project, at), { recursive: true, force: true });
  for (const [at, target] of Object.entries(links)) {
    mkdirSync(dirname(join(project, at)), { recursive: true });
    symlinkSync(names(target), join(project, at));
  }
  for (const at of huge) {
    mkdirSync(dirname(join(project, at)), { recursive: true });
    execFileSync("truncate", ["-s", "3G", join(project, at)]);
  }
  const searched = [...path.map(names), process.env["PATH"] ?? ""].join(":");
  const environment = { PATH: searched, HOME: home, TMPDIR: temporary, LANG: "C.UTF-8", TZ: "UTC" };
  const as = who.uid === null ? {} : { uid: who.uid, gid: who.uid };
  if (who.uid !== null) giveTo(folder, who.uid);
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=ada", "-c", "user.email=ada@example.org", ...args], {
      cwd: project,
      env: { ...environment, PATH: process.env["PATH"] ?? "" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      ...as,
    });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "ada");
  git("config", "user.email", "ada@example.org");
  if (huge.length === 0) {
    git("add", "-f", ".", ...(tracksState ? [] : [":(exclude).coordinator"]));
    git("commit", "-qm", "Begin");
  }
  for (const at of pipes) {
    mkdirSync(dirname(join(project, at)), { recursive: true });
    execFileSync("mkfifo", [join(project, at)]);
    if (who.uid !== null) giveTo(folder, who.uid);
  }
  const before = snapshot(home);
  const beside = readdirSync(folder).sort();
  return {
    folder,
    project,
    home,
    environment,
    git,
    run: (...args) => {
      const named = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, names(value)]));
      return runProgram(args, { cwd: project, env: { ...environment, ...named }, ...as });
    },
    harm: (said) => [
      ...differences(before, snapshot(home)),
      ...readdirSync(folder).filter((name) => !beside.includes(name)),
      ...(said.includes(CANARY) ? [`said: ${said}`] : []),
      ...canariesIn(project),
      ...canariesIn(join(home, ...(OWN[0] as string).split("/"))),
      ...canariesIn(temporary),
    ],
  };
}

/** Longer than any of these commands takes on a busy machine; one that waits for a pipe waits for ever. */
const LONGEST_MS = 120_000;

function runProgram(
  args: readonly string[],
  options: { cwd: string; env: Record<string, string>; uid?: number; gid?: number },
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, "--no-input", ...args], {
      ...options,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill("SIGKILL");
    }, LONGEST_MS);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output, timedOut });
    });
  });
}

function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function giveTo(path: string, uid: number): void {
  if (lstatSync(path).isSymbolicLink()) return;
  chownSync(path, uid, uid);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveTo(join(path, name), uid);
}

/** Every name below a folder, with what it is: no link is followed. */
function snapshot(folder: string, at = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(join(folder, at))) {
    const path = at === "" ? name : `${at}/${name}`;
    if (OWN.includes(path) || [".local", ".local/state", ".cache"].includes(path)) {
      if (!OWN.includes(path)) for (const entry of snapshot(folder, path)) found.set(...entry);
      continue;
    }
    const stats = lstatSync(join(folder, path));
    if (stats.isDirectory()) for (const entry of snapshot(folder, path)) found.set(...entry);
    const content = stats.isSymbolicLink()
      ? readlinkSync(join(folder, path))
      : stats.isFile()
        ? readFileSync(join(folder, path), "latin1")
        : "";
    found.set(path, `${stats.mode} ${content}`);
  }
  return found;
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `changed: ~/${path}: ${after.get(path)?.slice(0, 300)}`);
}

/** Files that hold a canary, packed objects of git included. */
function canariesIn(folder: string): string[] {
  try {
    accessSync(folder);
  } catch {
    return [];
  }
  const found: string[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (lstatSync(path).size > 64 * 1024 * 1024) continue;
    const bytes = readFileSync(path);
    if (bytes.includes(CANARY) || unpacked(bytes).includes(CANARY)) found.push(`a canary is in ${path}`);
  }
  return found;
}

function unpacked(bytes: Buffer): Buffer {
  try {
    return bytes[0] === 0x78 ? inflateSync(bytes) : Buffer.alloc(0);
  } catch {
    return Buffer.alloc(0);
  }
}
