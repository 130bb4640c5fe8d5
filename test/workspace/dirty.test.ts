import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../src/mind/run/seeded.js";
import { restoreSalvage } from "../../src/hands/workspace/clean/restore.js";
import { attempt, fingerprint, git, newFolder, open, userRepository } from "./repository.js";

/*
 * Workspaces left in any state: whatever happens to them then, every file is found again, byte by byte. A seed gives the
 * same state every time; COORDINATOR_DIRTY=1000 makes as many.
 */
const COUNT = Number(process.env["COORDINATOR_DIRTY"] ?? 120);
const AT_ONCE = 4;
/** Keeping one more costs more with each that was kept: git names them all. */
const IN_ONE_REPOSITORY = 100;

const NAMES = [
  "src/pay.ts",
  "src/cart.ts",
  "README.md",
  "docs/plan.md",
  "new.txt",
  "a/b/c.txt",
  "node_modules/m/i.js",
  "x.log",
  "sub/file",
  "sub/in/file",
  "CRLF.txt",
  ".gitattributes",
  ".gitignore",
  "ñ/日本.txt",
  "with space",
  "-dash",
  ":colon",
  "line\nbreak",
  ".GIT/x",
  "git~1/y",
];

const WITHOUT_WAITING = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK;

function makeDirty(workspace: string, seed: number): void {
  const chance = seededRandom(seed, "dirty");
  const one = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)] as T;
  const attempted = (effect: () => void) => {
    try {
      effect();
    } catch {
      // A file may be in the way of a folder: that move is not made.
    }
  };
  const put = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    // A pipe that lies in the way would be waited for without end.
    const file = openSync(join(workspace, path), WITHOUT_WAITING);
    writeFileSync(file, content);
    closeSync(file);
  };
  const bytes = () => Buffer.from(Array.from({ length: Math.floor(chance() * 300) }, () => Math.floor(chance() * 256)));
  const moves = [
    () => put(one(NAMES), `${chance()}\r\n${chance()}\n`),
    () => put(one(NAMES), bytes()),
    () => put(".gitattributes", one(["* text eol=lf\n", "* working-tree-encoding=UTF-16\n", "* ident filter=x\n"])),
    () => put(".gitignore", one(["*\n", "", "!*\n"])),
    () => rmSync(join(workspace, one(NAMES)), { recursive: true, force: true }),
    () => symlinkSync(one(["..", "/etc", "README.md", "nowhere", "\u0001odd"]), join(workspace, one(NAMES))),
    () => chmodSync(join(workspace, one(NAMES)), one([0o755, 0o644, 0o000])),
    () => renameSync(join(workspace, one(NAMES)), join(workspace, one(NAMES))),
    () => git(workspace, "init", "--quiet", one(["sub", "src", "a"])),
    () => execFileSync("mkfifo", [join(workspace, one(NAMES))], { stdio: "ignore" }),
    () => put("sub/.git/config", "[core]\n\tbare = false\n"),
  ];
  for (let i = 0; i < 1 + chance() * 12; i++) attempted(one(moves));
}

/** The files of a commit byte by byte. Not by a checkout: that would convert them as their own attributes say. */
function writeOut(repository: string, commit: string, folder: string): void {
  const read = (...args: string[]) => execFileSync("git", ["-C", repository, ...args]);
  mkdirSync(folder);
  for (const entry of read("ls-tree", "-r", "-z", commit).toString("utf8").split("\0")) {
    const [, mode = "", object = "", path = ""] = /^(\d+) blob ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? [];
    if (path === "") continue;
    const content = read("cat-file", "blob", object);
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    if (mode === "120000") symlinkSync(content, join(folder, path));
    else writeFileSync(join(folder, path), content, { mode: mode === "100755" ? 0o755 : 0o644 });
  }
}

describe("a workspace in any state", () => {
  it(`is found again as a whole after clean-up or crash, ${COUNT} times`, { timeout: 1_800_000 }, async () => {
    const endings: Record<string, number> = {};
    for (let from = 1; from <= COUNT; from += IN_ONE_REPOSITORY) await some(from, endings);
    expect(Object.keys(endings)).toEqual(
      expect.arrayContaining(["imported with salvage", "removed with salvage", "crashed with salvage"]),
    );
  });

  async function some(from: number, endings: Record<string, number>): Promise<void> {
    const folder = newFolder();
    const repository = userRepository(folder);
    const { workspaces, quarantine } = await open(folder, repository);
    const seeds = Array.from({ length: Math.min(IN_ONE_REPOSITORY, COUNT - from + 1) }, (_, i) => from + i);
    const one = async (seed: number) => {
      const chance = seededRandom(seed, "ending");
      const workspace = await workspaces.prepare(attempt(String(seed)));
      makeDirty(workspace.path, seed);
      // Pipes and what may not be read are left to the salvage; what is compared is every file and link.
      execFileSync("chmod", ["-R", "u+rX", workspace.path]);
      execFileSync("find", [workspace.path, "-type", "p", "-delete"]);
      const expected = fingerprint(workspace.path, (path) => path === ".git");
      const how = chance() < 0.3 ? "imported" : chance() < 0.6 ? "removed" : "crashed";
      const imported = how === "imported" ? await workspace.import({ write: ["**"], message: "m" }) : null;
      if (how === "crashed") {
        // As a process that died leaves it: its owner is nobody's number.
        const record = join(dirname(workspace.path), "workspace.json");
        writeFileSync(record, readFileSync(record, "utf8").replace(/"owner": "\d+/, '"owner": "1'));
        await workspaces.recover();
      } else expect((await workspace.remove()).status).toBe("removed");
      expect(existsSync(workspace.path)).toBe(false);
      const refs = await quarantine.refs("quarantine");
      const saved = refs.get(`refs/coord/salvage/run_test/T1/${seed}`);
      const back = join(folder, `back-${seed}`);
      if (saved !== undefined) await restoreSalvage(quarantine, saved, back);
      else {
        const commit = imported?.status === "imported" ? imported.commit : "HEAD";
        writeOut(repository, commit, back);
      }
      expect([seed, fingerprint(back)]).toEqual([seed, expected]);
      rmSync(back, { recursive: true });
      endings[`${how} ${saved === undefined ? "without" : "with"} salvage`] = 1;
    };
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) await one(seed);
      }),
    );
    git(repository, "fsck", "--no-dangling");
  }
});
