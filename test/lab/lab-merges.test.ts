import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";

/* `npm run lab:merges` on repositories nobody has tidied up before. */

const SCRIPT = fileURLToPath(new URL("../../scripts/lab-merges.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "coordinator-merges-test-"));
const env = {
  PATH: process.env["PATH"],
  HOME: folder,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "ada",
  GIT_AUTHOR_EMAIL: "ada@localhost",
  GIT_COMMITTER_NAME: "ada",
  GIT_COMMITTER_EMAIL: "ada@localhost",
};

class Repository {
  readonly path: string;

  constructor(name: string, ...options: string[]) {
    this.path = join(folder, name);
    this.git("init", "-q", "-b", "main", ...options, this.path);
  }

  git(...args: string[]): string {
    const cwd = args[0] === "init" ? folder : this.path;
    return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  }

  /** A commit of these files on a new branch that begins at another one. */
  branch(name: string, from: string | null, files: Readonly<Record<string, string>>, more = () => {}): this {
    if (from !== null) this.git("checkout", "-q", "-b", name, from);
    for (const [path, text] of Object.entries(files)) writeFileSync(join(this.path, path), text);
    more();
    this.git("add", "-A");
    this.git("commit", "-q", "--allow-empty", "-m", name);
    return this;
  }

  /** Merge branches into the one that is checked out; what conflicts is committed as these files have it. */
  merge(into: string, others: readonly string[], files: Readonly<Record<string, string>> = {}): this {
    this.git("checkout", "-q", into);
    const { status } = spawnSync("git", ["merge", "-q", "--no-ff", "-m", "merge", ...others], { cwd: this.path, env });
    for (const [path, text] of Object.entries(files)) writeFileSync(join(this.path, path), text);
    this.git("add", "-A");
    if (status !== 0) this.git("commit", "-q", "-m", "merge");
    return this;
  }
}

function lab(path: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, path, ...args], { env, encoding: "utf8" });
  return { status, stdout, stderr };
}

const report = (path: string) => {
  const { status, stdout, stderr } = lab(path, "--json");
  expect(stderr).toBe("");
  return { status, ...(JSON.parse(stdout) as Record<string, unknown>) };
};

/** Every file with its bytes, its mode and when it was written. */
function print(path: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(path, { recursive: true, encoding: "utf8" }).toSorted()) {
    const at = statSync(join(path, name), { bigint: true, throwIfNoEntry: false });
    hash.update(`${name} ${at?.mode} ${at?.mtimeNs}\n`);
    if (at?.isFile() === true) hash.update(readFileSync(join(path, name)));
  }
  return hash.digest("hex");
}

const LINES = "1\n2\n3\n4\n5\n";

describe("merges of a repository, replayed", () => {
  beforeAll(() => ensureBuilt());
  afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000);

  it("takes whatever stands in one, and leaves it as it is to the byte and to the time", () => {
    const names = ["a b", "new\nline", "ünï", 'quo"te', "back\\slash", ":(glob)x", "*", "-dash", "crlf"];
    const of = (text: string) => Object.fromEntries(names.map((name) => [name, text]));
    const wild = new Repository('wi"l d');
    wild.branch("main", null, { ...of(LINES), binary: "a\0b", gone: "g\n", x: "x\n" }, () =>
      symlinkSync("gone", join(wild.path, "link")),
    );
    const links = (commit: string, target: string) => () => {
      rmSync(join(wild.path, "link"));
      symlinkSync(target, join(wild.path, "link"));
      wild.git("update-index", "--add", "--cacheinfo", `160000,${commit.repeat(40)},module`);
    };
    mkdirSync(join(wild.path, "module"));
    wild.branch("one", "main", { ...of("1, one\n2\n3\n4\n5\n"), binary: "a\0one" }, links("1", "one"));
    wild.branch("two", "main", { ...of("1\r\n2\r\n3\r\n4\r\n5\r\n"), binary: "a\0two" }, links("2", "two"));
    wild.branch("three", "main", { ...of("1\n2\n3\n4\n5, three\n") }, () => rmSync(join(wild.path, "gone")));
    wild.branch("four", "main", { gone: "g\nmore\n" });
    wild.branch("none", "main", {});
    wild.merge("two", ["one"], of("1, one\r\n2\r\n3\r\n4\r\n5\r\n"));
    wild.merge("three", ["one"]).merge("four", ["three"], { gone: "g\nmore\n" }).merge("none", ["four"]);
    wild.git("checkout", "-q", "-b", "many", "main");
    wild.branch("p", "main", { p: "p\n" }).branch("q", "main", { q: "q\n" }).merge("many", ["p", "q"]);
    wild.git("gc", "-q");
    const before = print(wild.path);
    expect(report(wild.path)).toMatchObject({ status: 0, merges: 4, octopus: 1, lossy: [], disagree: [], failed: [] });
    expect(print(wild.path)).toBe(before);
  });

  it("finds no loss where histories cross: what one of the beginnings had was added by nobody since", () => {
    const crossed = new Repository("crossed").branch("main", null, { f: LINES });
    crossed.branch("a", "main", { f: `0\n${LINES}` }).branch("b", "main", { f: `${LINES}6\n` });
    const [a, b] = [crossed.git("rev-parse", "a"), crossed.git("rev-parse", "b")];
    crossed.merge("a", [b]).merge("b", [a]);
    crossed.git("checkout", "-q", "a");
    crossed.branch("a", null, { f: `${LINES}6\n` });
    crossed.git("checkout", "-q", "b");
    crossed.branch("b", null, { f: "0\n1\n2\n3, said again\n4\n5\n" }).merge("b", ["a"]);
    expect(report(crossed.path)).toMatchObject({ status: 0, merges: 3, clean: 3, lossy: [], disagree: [] });
  });

  it("reads other object formats, repositories without a work tree, and part of the merges", () => {
    const modern = new Repository("modern", "--object-format=sha256").branch("main", null, { f: LINES });
    modern
      .branch("a", "main", { f: `0\n${LINES}` })
      .branch("b", "main", { f: `${LINES}6\n` })
      .merge("b", ["a"]);
    modern.branch("c", "main", { c: "c\n" }).merge("b", ["c"]);
    expect(report(modern.path)).toMatchObject({ status: 0, merges: 2, clean: 2 });
    modern.git("clone", "-q", "--bare", modern.path, join(folder, "bare"));
    expect(lab(join(folder, "bare"), "--limit", "1").stdout).toMatch(/^1 merges\nclean 1 /);
  });

  it("names what cannot be replayed: unrelated histories, a shallow clone, objects that are gone", () => {
    const odd = new Repository("odd").branch("main", null, { f: LINES }).branch("a", "main", { f: `0\n${LINES}` });
    odd.git("checkout", "-q", "--orphan", "other");
    odd.git("rm", "-rqf", ".");
    odd.branch("other", null, { o: "o\n" });
    odd.branch("b", "main", { f: `${LINES}6\n` }).merge("b", ["a"]);
    odd.git("merge", "-q", "--allow-unrelated-histories", "-m", "merge", "other");
    expect(report(odd.path)).toMatchObject({ status: 0, merges: 2, unrelated: 1, clean: 1 });
    odd.git("clone", "-q", "--depth", "3", `file://${odd.path}`, join(folder, "shallow"));
    const { stdout } = lab(join(folder, "shallow"));
    expect(stdout).toContain("whose beginnings a shallow clone does not hold");
    const blob = odd.git("rev-parse", "a:f");
    rmSync(join(odd.path, ".git", "objects", blob.slice(0, 2), blob.slice(2)));
    const broken = lab(odd.path);
    expect([broken.status, broken.stderr]).toEqual([1, ""]);
    expect(broken.stdout).toContain("could not be replayed: 1");
  });

  it("says what is wrong with the question", () => {
    const empty = new Repository("empty");
    const plain = join(folder, "plain");
    mkdirSync(plain);
    for (const [args, said] of [
      [[empty.path], "has no merges"],
      [[plain], "is not a git repository"],
      [[join(folder, "nowhere")], "is not a git repository"],
      [[empty.path, "--limit", "some"], "Usage:"],
      [[empty.path, "--wrong"], "Usage:"],
    ] as const) {
      const [path, ...more] = args;
      const { status, stdout, stderr } = lab(path, ...more);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(said);
      expect(stderr).not.toContain("    at ");
    }
  });
});
