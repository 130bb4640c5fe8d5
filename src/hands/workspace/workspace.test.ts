import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  attempt,
  EVERYTHING,
  FILES,
  fingerprint,
  git,
  newFolder,
  open,
  userRepository,
  write,
} from "../../../test/workspace/repository.js";
import type { ChangedFile, ChangeSet, ImportOutcome } from "./import.js";
import type { Removal } from "./open-workspace.js";
import { openQuarantine } from "./quarantine.js";
import { restoreSalvage } from "./clean/restore.js";

const request = { write: ["**"], message: "A change" };

async function prepared(files: Readonly<Record<string, string>> = FILES, options = {}) {
  const folder = newFolder();
  const bench = await open(folder, userRepository(folder, files), options);
  return { folder, ...bench, workspace: await bench.workspaces.prepare(attempt()) };
}

/** The imported changes; any other outcome fails the test and is named. */
function importedBy(outcome: ImportOutcome): ChangeSet {
  if (outcome.status !== "imported") throw new Error(JSON.stringify(outcome));
  return outcome.changes;
}

const summary = ({ path, change, mode, binary }: ChangedFile) => [path, change, mode, binary];

/** The commit that holds what was salvaged. */
function salvagedBy(removal: Removal): string {
  if (removal.status !== "removed" || removal.salvage.status !== "saved") throw new Error(JSON.stringify(removal));
  return removal.salvage.commit;
}

const allObjects = (path: string) =>
  execFileSync("git", ["cat-file", "--batch-all-objects", "--batch"], { cwd: path, encoding: "latin1" });

describe("a workspace is a closed world", () => {
  it("holds only what the read scope matches and nothing that is hidden, not even as objects [S0-036, S0-041]", async () => {
    const folder = newFolder();
    const { workspaces } = await open(folder, userRepository(folder));
    const view = { read: ["src/**", "docs/**"], hidden: ["docs/secret.md"] };
    const { path } = await workspaces.prepare({ ...attempt(), view });
    expect([...fingerprint(path, (at) => at === ".git").keys()].sort()).toEqual([
      "docs/plan.md",
      "src/cart.ts",
      "src/pay.ts",
    ]);
    const objects = allObjects(path);
    expect(objects).toContain("export const cart");
    for (const hidden of ["nobody may read", "secret.md", "# Shop", "# Stashed", "README.md"])
      expect(objects).not.toContain(hidden);
    expect(readFileSync(join(path, ".git/config"), "utf8")).not.toContain("remote");
  });

  it("with everything in view still has no history, branch, tag, stash or remote", async () => {
    const { workspace } = await prepared();
    expect(git(workspace.path, "for-each-ref", "--format=%(refname)").trim()).toBe("refs/heads/work");
    expect(git(workspace.path, "rev-list", "--all", "--count").trim()).toBe("1");
    expect(git(workspace.path, "remote")).toBe("");
    expect(allObjects(workspace.path)).not.toContain("# Stashed");
    expect(git(workspace.path, "status", "--porcelain")).toBe("");
    for (const [path, text] of Object.entries(FILES))
      expect(readFileSync(join(workspace.path, path), "utf8")).toBe(text);
  });

  it("shares no file with the user's repository or the quarantine", async () => {
    const { workspace } = await prepared();
    const links = execFileSync("find", [workspace.path, "-type", "f", "-links", "+1"], { encoding: "utf8" });
    expect(links).toBe("");
    expect(existsSync(join(workspace.path, ".git/objects/info/alternates"))).toBe(false);
  });

  it("puts a change back onto the true base, with what was hidden unchanged", async () => {
    const folder = newFolder();
    const { workspaces, repository } = await open(folder, userRepository(folder));
    const workspace = await workspaces.prepare({ ...attempt(), view: { read: ["src/**"], hidden: [] } });
    write(workspace.path, { "src/cart.ts": "changed\n", "src/new.ts": "new\n" });
    rmSync(join(workspace.path, "src/pay.ts"));
    const outcome = await workspace.import({
      write: ["src/**"],
      message: "A change",
      author: { name: "Bo", email: "bo@x" },
    });
    expect(outcome).toMatchObject({
      status: "imported",
      ref: "refs/coord/run_test/T1/1",
      changes: {
        files: [
          { path: "src/cart.ts", change: "modified", mode: "100644", size: 8, binary: false },
          { path: "src/new.ts", change: "added", mode: "100644", size: 4, binary: false },
          { path: "src/pay.ts", change: "deleted", mode: "100644", size: 0, binary: false },
        ],
      },
    });
    expect(git(repository, "diff", "--name-status", "HEAD", "refs/coord/run_test/T1/1")).toBe(
      "M\tsrc/cart.ts\nA\tsrc/new.ts\nD\tsrc/pay.ts\n",
    );
    expect(git(repository, "log", "-1", "--format=%P %an %cn %s", "refs/coord/run_test/T1/1").trim()).toBe(
      `${git(repository, "rev-parse", "HEAD").trim()} Bo coordinator A change`,
    );
    expect(git(repository, "show", "refs/coord/run_test/T1/1:docs/secret.md")).toBe(FILES["docs/secret.md"]);
  });

  it("hands git no file that was given and has grown beyond the limit, neither to take it over nor to keep it", async () => {
    const folder = newFolder();
    const { workspaces, quarantine } = await open(folder, userRepository(folder), { limits: { salvageBytes: 1000 } });
    const workspace = await workspaces.prepare(attempt());
    truncateSync(join(workspace.path, "src/cart.ts"), 5000);
    const before = fingerprint(join(quarantine.gitDir, "objects"));
    const outcome = await workspace.import({ write: ["**"], message: "m", limits: { fileBytes: 1000 } });
    expect(outcome).toMatchObject({ status: "refused", findings: [{ gate: "too_large", path: "src/cart.ts" }] });
    expect(await workspace.remove()).toMatchObject({ status: "kept", findings: [{ gate: "too_large" }] });
    expect(fingerprint(join(quarantine.gitDir, "objects"))).toEqual(before);
  });

  it.each([
    ["attributes that are a folder", { "src/.gitattributes/x": "x" }],
    ["a submodule's address that is an option", { ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = -u./evil\n' }],
  ])("leaves no object of what git refuses in the user's repository: %s", async (_, files) => {
    const { workspace, repository } = await prepared();
    write(workspace.path, files);
    const before = fingerprint(join(repository, ".git/objects"));
    expect(await workspace.import({ write: ["**"], message: "m" })).toMatchObject({ status: "refused" });
    expect(await workspace.remove()).toMatchObject({ status: "removed", salvage: { kept_in: "quarantine" } });
    expect(fingerprint(join(repository, ".git/objects"))).toEqual(before);
    git(repository, "fsck", "--strict", "--no-dangling");
  });

  it.each([
    ["the hidden file itself", "docs/secret.md"],
    ["a file in its place's folder", "docs"],
    ["something below it", "docs/secret.md/x"],
  ])("refuses a change that would replace what was hidden: %s", async (_, path) => {
    const folder = newFolder();
    const { workspaces } = await open(folder, userRepository(folder));
    const workspace = await workspaces.prepare({ ...attempt(), view: { read: ["src/**"], hidden: [] } });
    write(workspace.path, { [path]: "mine\n" });
    expect(await workspace.import(request)).toMatchObject({
      status: "refused",
      findings: [{ gate: "outside_view", path }],
    });
  });
});

describe("an import", () => {
  it("finds nothing where nothing was done, and then nothing is salvaged", async () => {
    const { workspace, quarantine } = await prepared();
    expect(await workspace.import(request)).toEqual({ status: "unchanged", notices: [] });
    expect(await workspace.remove()).toEqual({ status: "removed", salvage: { status: "nothing" } });
    expect(existsSync(workspace.path)).toBe(false);
    expect([...(await quarantine.refs("repository")).keys()].filter((ref) => !ref.includes("/bases/"))).toEqual([]);
  });

  it("sees a change that keeps size and time of modification", async () => {
    const { workspace } = await prepared();
    const file = join(workspace.path, "src/pay.ts");
    execFileSync("sh", [
      "-c",
      `touch -r ${file} ${file}.t && printf 'export const pay = 2;\\n' > ${file} && touch -r ${file}.t ${file} && rm ${file}.t`,
    ]);
    expect(await workspace.import(request)).toMatchObject({
      status: "imported",
      changes: { files: [{ path: "src/pay.ts" }] },
    });
  });

  it("keeps bytes as they are, whatever the attributes say", async () => {
    const { workspace, repository } = await prepared({
      ...FILES,
      ".gitattributes": "*.txt text eol=crlf\n*.id ident\n",
      "a.txt": "one\n",
      "b.id": "$Id$\n",
    });
    expect(readFileSync(join(workspace.path, "a.txt"), "utf8")).toBe("one\n");
    expect(await workspace.import(request)).toMatchObject({ status: "unchanged" });
    write(workspace.path, { "a.txt": "one\r\ntwo\r\n" });
    expect(await workspace.import(request)).toMatchObject({ status: "imported" });
    expect(git(repository, "cat-file", "blob", "refs/coord/run_test/T1/1:a.txt")).toBe("one\r\ntwo\r\n");
  });

  it("takes modes, links, odd names and binary files", async () => {
    const { workspace } = await prepared();
    chmodSync(join(workspace.path, "src/pay.ts"), 0o755);
    symlinkSync("pay.ts", join(workspace.path, "src/link.ts"));
    write(workspace.path, {
      "src/ñandú 日本.ts": "x",
      ":(top)odd": "x",
      "-dash": "x",
      "bin.dat": "a\0b",
      [`src/${"n".repeat(255)}`]: "x",
    });
    expect(importedBy(await workspace.import(request)).files.map(summary)).toEqual([
      ["-dash", "added", "100644", false],
      [":(top)odd", "added", "100644", false],
      ["bin.dat", "added", "100644", true],
      ["src/link.ts", "added", "120000", false],
      [`src/${"n".repeat(255)}`, "added", "100644", false],
      ["src/pay.ts", "modified", "100755", false],
      ["src/ñandú 日本.ts", "added", "100644", false],
    ]);
  });

  it("leaves out what is ignored by the files of the repository, and by nothing else", async () => {
    const { workspace } = await prepared();
    write(workspace.path, { "node_modules/a/index.js": "x", "debug.log": "x", "hidden.txt": "x" });
    write(workspace.path, { ".git/info/exclude": "hidden.txt\n" });
    expect(await workspace.import(request)).toMatchObject({
      status: "imported",
      changes: { files: [{ path: "hidden.txt" }] },
    });
  });

  it("turns a file into a folder and back", async () => {
    const { workspace } = await prepared();
    rmSync(join(workspace.path, "README.md"));
    write(workspace.path, { "README.md/part.md": "x" });
    rmSync(join(workspace.path, "docs"), { recursive: true });
    write(workspace.path, { docs: "x" });
    expect(await workspace.import(request)).toMatchObject({ status: "imported" });
  });

  it("gives every path outside of the write scope a finding, with the whole change", async () => {
    const { workspace, quarantine } = await prepared();
    write(workspace.path, { "src/cart.ts": "x", "other.txt": "x", "docs/plan.md": "x" });
    expect(await workspace.import({ write: ["src/**"], message: "m" })).toMatchObject({
      status: "refused",
      findings: [
        { gate: "outside_write_scope", path: "docs/plan.md" },
        { gate: "outside_write_scope", path: "other.txt" },
      ],
      changes: { files: [{ path: "docs/plan.md" }, { path: "other.txt" }, { path: "src/cart.ts" }] },
    });
    expect([...(await quarantine.refs("repository")).keys()].filter((ref) => ref.startsWith("refs/coord/run"))).toEqual(
      [],
    );
  });

  it.each([
    ["a pipe in place of a file", "rm README.md; mkfifo README.md", "special_file"],
    ["a pipe as .gitignore", "rm .gitignore; mkfifo .gitignore", "special_file"],
    ["a pipe as .gitignore of a new folder", "mkdir n; mkfifo n/.gitignore; touch n/x", "special_file"],
    [
      "a repository inside",
      "git init -q sub; echo x > sub/a; git -C sub add a; git -C sub -c user.name=a -c user.email=a commit -qm x",
      "nested_repository",
    ],
    ["a repository around tracked files", "git init -q src", "nested_repository"],
    ["a .git file inside", "mkdir sub; echo 'gitdir: /etc' > sub/.git; echo x > sub/a", "nested_repository"],
    ["another spelling of .git", "mkdir .GIT; echo x > .GIT/config", "name"],
    ["the short name of .git", "mkdir GIT~1; echo x > GIT~1/config", "name"],
    ["a .gitmodules that is a link", "ln -s README.md .gitmodules", "name"],
    ["a line break in a name", "touch \"$(printf 'a\\nb')\"", "name"],
    ["a name that is not UTF-8", "touch \"$(printf 'a\\377b')\"", "name"],
    ["a file too large", "truncate -s 200M big", "too_large"],
    ["a huge file with nothing in it", "truncate -s 1T big", "too_large"],
    ["files too large together", "for i in 1 2 3 4 5 6; do truncate -s 99M big$i; done", "too_large"],
    ["an absolute link", "ln -s /etc/passwd l", "symlink"],
    ["a link out", "ln -s ../.. l", "symlink"],
    ["a bare .. as a link", "ln -s .. l", "symlink"],
    ["a link into .git", "ln -s .git/config l", "symlink"],
    ["a link out through a link", "mkdir -p d/e; ln -s ../.. d/e/up; ln -s d/e/up/.. l", "symlink"],
    ["links in a circle", "ln -s b a; ln -s a b", "symlink"],
    ["two names that differ in case", "echo x > src/PAY.ts", "collision"],
    ["two folders that differ in case", "mkdir SRC; echo x > SRC/new.ts", "collision"],
    ["two ways to write an accent", "touch \"$(printf 'caf\\303\\251')\" \"$(printf 'cafe\\314\\201')\"", "collision"],
    ["a filter driver", "echo '* filter=evil' > .gitattributes", "attributes"],
    ["a merge driver in a macro", "echo '[attr]x merge=evil' > src/.gitattributes", "attributes"],
    [
      "a driver on a line that looks like a comment",
      "printf '\\302\\240# filter=evil\\n' > .gitattributes",
      "attributes",
    ],
    ["settings of an agent", "echo {} > .mcp.json", "agent_settings"],
    ["a plugin of an agent", "mkdir -p .opencode/plugin; echo x > .opencode/plugin/x.js", "agent_settings"],
    ["settings of an agent deep down", "mkdir -p src/.claude; echo {} > src/.claude/settings.json", "agent_settings"],
    ["a hook manager", "echo x > lefthook.yml", "agent_settings"],
    [
      "a folder that passes for a repository",
      "mkdir -p r/objects r/refs; touch r/objects/x r/refs/x; echo 'ref: refs/heads/x' > r/HEAD",
      "bare_repository",
    ],
    [
      "a submodule that git would not read",
      "printf '[submodule \"a\"]\\n\\tpath = a\\n\\turl = --upload-pack=evil\\n' > .gitmodules",
      "objects",
    ],
  ])("refuses %s, salvages it, and removes the workspace", async (_, script, gate) => {
    const { workspace, repository, workspaces } = await prepared();
    execFileSync("sh", ["-c", script], {
      cwd: workspace.path,
      env: { PATH: process.env["PATH"], HOME: "/nonexistent" },
    });
    const outcome = await workspace.import(request);
    expect(outcome).toMatchObject({
      status: "refused",
      findings: expect.arrayContaining([expect.objectContaining({ gate })]),
    });
    expect(git(repository, "for-each-ref", "refs/coord/run_test")).toBe("");
    if (script.includes("1T") || script.includes("M big")) return;
    expect(await workspace.remove()).toMatchObject({ status: "removed", salvage: { status: "saved" } });
    await workspaces.close();
    expect(readdirSync(workspaces.root)).toEqual([]);
  });

  it("refuses attributes that use a driver of the user's own under another name", async () => {
    const { workspace, workspaces } = await prepared({
      ...FILES,
      ".gitattributes": "[attr]big filter=lfs\n*.bin big\n",
    });
    write(workspace.path, { "src/.gitattributes": "* big\n" });
    expect(await workspace.import(request)).toMatchObject({ status: "refused", findings: [{ gate: "attributes" }] });
    write(workspace.path, { "src/.gitattributes": "* text\n" });
    expect(await workspace.import(request)).toMatchObject({ status: "imported" });
    await workspaces.close();
  });

  it.each(["refs/heads/main", "refs/coord/../heads/main", "refs/coord", "refs/coord/x.lock", "refs/coord/", "HEAD"])(
    "is never written under %s, nor is that removed",
    async (ref) => {
      const { quarantine, repository } = await prepared();
      const before = git(repository, "for-each-ref");
      const commit = git(repository, "rev-parse", "HEAD");
      await expect(quarantine.keep(ref, commit)).rejects.toThrow(TypeError);
      await expect(quarantine.publish([ref])).rejects.toThrow(TypeError);
      await expect(quarantine.forget([ref])).rejects.toThrow(TypeError);
      expect(git(repository, "for-each-ref")).toBe(before);
    },
  );

  it("lets settings of an agent pass when the write scope names them", async () => {
    const { workspace } = await prepared();
    write(workspace.path, { ".claude/settings.json": "{}" });
    expect(await workspace.import({ write: [".claude/**"], message: "m" })).toMatchObject({ status: "imported" });
  });

  it("notices a pipe that replaced nothing, and is not stopped by it", async () => {
    const { workspace } = await prepared();
    execFileSync("mkfifo", [join(workspace.path, "pipe")]);
    write(workspace.path, { "src/cart.ts": "x" });
    expect(await workspace.import(request)).toMatchObject({
      status: "imported",
      notices: [{ gate: "special_file", path: "pipe" }],
    });
  });

  it("reads folders and files their owner closed", async () => {
    const { workspace } = await prepared();
    write(workspace.path, { "shut/deep/file": "x" });
    chmodSync(join(workspace.path, "shut/deep/file"), 0);
    chmodSync(join(workspace.path, "shut/deep"), 0);
    chmodSync(join(workspace.path, "shut"), 0);
    expect(await workspace.import(request)).toMatchObject({
      status: "imported",
      changes: { files: [{ path: "shut/deep/file" }] },
    });
  });
});

describe("a salvage", () => {
  it("keeps tracked, untracked and ignored files, deletions, and repositories inside", async () => {
    const { folder, workspace, quarantine } = await prepared();
    write(workspace.path, {
      "src/cart.ts": "x",
      "new.txt": "new",
      "node_modules/a.js": "ignored",
      "sub/work.txt": "nested",
    });
    rmSync(join(workspace.path, "docs/plan.md"));
    git(workspace.path, "init", "--quiet", "sub");
    git(join(workspace.path, "sub"), "add", "work.txt");
    git(join(workspace.path, "sub"), "commit", "--quiet", "--message=nested");
    const expected = fingerprint(workspace.path, (path) => path === ".git");
    expect(await workspace.salvage()).toMatchObject({ ref: "refs/coord/salvage/run_test/T1/1", kept_in: "repository" });
    const saved = salvagedBy(await workspace.remove());
    const back = join(folder, "back");
    await restoreSalvage(quarantine, saved, back);
    expect(fingerprint(back)).toEqual(expected);
    expect(git(join(back, "sub"), "log", "--format=%s").trim()).toBe("nested");
  });

  it("keeps commits the agent made for itself and moved away from", async () => {
    const { folder, workspace, quarantine } = await prepared();
    write(workspace.path, { "lost.txt": "kept after all" });
    git(workspace.path, "add", "lost.txt");
    git(workspace.path, "commit", "--quiet", "--message=work");
    const made = git(workspace.path, "rev-parse", "HEAD").trim();
    git(workspace.path, "reset", "--quiet", "--hard", "HEAD~1");
    const saved = salvagedBy(await workspace.remove());
    const back = join(folder, "back");
    await restoreSalvage(quarantine, saved, back);
    expect(git(back, "cat-file", "blob", `${made}:lost.txt`)).toBe("kept after all");
  });

  it("after an import keeps only what the import left out", async () => {
    const { workspace, repository } = await prepared();
    write(workspace.path, { "src/cart.ts": "x" });
    expect(await workspace.import(request)).toMatchObject({ status: "imported" });
    expect(await workspace.salvage()).toEqual({ status: "nothing" });
    write(workspace.path, { "debug.log": "x" });
    expect(await workspace.salvage()).toMatchObject({ status: "saved", files: 1 });
    expect(
      git(repository, "diff", "--name-only", "refs/coord/run_test/T1/1", "refs/coord/salvage/run_test/T1/1").trim(),
    ).toBe("debug.log");
  });

  it("keeps the workspace when it is more than may be salvaged", async () => {
    const { workspace } = await prepared(FILES, { limits: { salvageBytes: 1000 } });
    write(workspace.path, { "big.txt": "x".repeat(2000) });
    expect(await workspace.remove()).toMatchObject({ status: "kept", findings: [{ gate: "too_large" }] });
    expect(existsSync(join(workspace.path, "big.txt"))).toBe(true);
  });

  it("keeps what is deeper than the system can name, and removes it", async () => {
    const { folder, workspace, workspaces, quarantine } = await prepared();
    const deeper = "for (let i = 0; i < 40; i++) { fs.mkdirSync('d'.repeat(200)); process.chdir('d'.repeat(200)); }";
    execFileSync(process.execPath, ["-e", `${deeper} fs.writeFileSync('end', 'deep')`], { cwd: workspace.path });
    expect(await workspace.import(request)).toMatchObject({ status: "refused", findings: [{ gate: "too_deep" }] });
    const saved = salvagedBy(await workspace.remove());
    const text = git(quarantine.checkout, "cat-file", "blob", `${saved}^2:files/000000`);
    expect(text).toBe("deep");
    await workspaces.close();
    expect(readdirSync(workspaces.root)).toEqual([]);
    expect(existsSync(folder)).toBe(true);
  });
});

describe("workspaces", () => {
  it("made ahead are used once and never again", async () => {
    const folder = newFolder();
    const { workspaces } = await open(folder, userRepository(folder), { spares: 1 });
    await workspaces.warm("HEAD", EVERYTHING, 2);
    const seen = new Set<string>();
    for (const id of ["1", "2", "3"]) {
      const workspace = await workspaces.prepare(attempt(id));
      expect(existsSync(join(workspace.path, "mark"))).toBe(false);
      write(workspace.path, { mark: id });
      seen.add(workspace.path);
      expect(await workspace.import(request)).toMatchObject({ status: "imported" });
      await workspace.remove();
    }
    expect(seen.size).toBe(3);
    await workspaces.close();
    expect(readdirSync(workspaces.root)).toEqual([]);
  });

  it("are refused beyond the limit, with a way out", async () => {
    const folder = newFolder();
    const { workspaces } = await open(folder, userRepository(folder), { limits: { count: 1 } });
    await workspaces.prepare(attempt("1"));
    await expect(workspaces.prepare(attempt("2"))).rejects.toMatchObject({
      code: "WORKSPACE_FAILED",
      retryable: true,
      message: expect.stringContaining("1 may be there"),
    });
    const { workspaces: full } = await open(folder, join(folder, "shop"), {
      limits: { freeBytes: Number.MAX_SAFE_INTEGER },
    });
    await expect(full.prepare(attempt("3"))).rejects.toMatchObject({ code: "WORKSPACE_FAILED" });
  });

  it("two for one attempt are refused while the first lives", async () => {
    const { workspaces } = await prepared();
    await expect(workspaces.prepare(attempt())).rejects.toMatchObject({ code: "WORKSPACE_FAILED" });
  });
});

describe("the user's repository may be", () => {
  const roundTrip = async (folder: string, repository: string, inside = repository) => {
    const { workspaces } = await open(folder, inside);
    const workspace = await workspaces.prepare(attempt());
    write(workspace.path, { "src/cart.ts": "changed\n" });
    expect(await workspace.import(request)).toMatchObject({ status: "imported" });
    expect(git(repository, "diff", "--name-only", "HEAD", "refs/coord/run_test/T1/1").trim()).toBe("src/cart.ts");
    write(workspace.path, { "more.log": "x" });
    expect(await workspace.remove()).toMatchObject({
      status: "removed",
      salvage: { status: "saved", kept_in: "repository" },
    });
    git(repository, "fsck", "--no-dangling");
  };

  it("shallow", async () => {
    const folder = newFolder();
    const origin = userRepository(folder);
    git(origin, "commit", "--quiet", "--all", "--message=two");
    git(folder, "clone", "--quiet", "--depth=1", `file://${origin}`, "shallow");
    await roundTrip(folder, join(folder, "shallow"));
  });

  it("one of several checkouts", async () => {
    const folder = newFolder();
    const repository = userRepository(folder);
    git(repository, "worktree", "add", "--quiet", "--detach", "../second");
    await roundTrip(folder, repository, join(folder, "second"));
  });

  it("one of several checkouts: its HEAD is its own", async () => {
    const folder = newFolder();
    const repository = userRepository(folder);
    git(repository, "worktree", "add", "--quiet", "-b", "side", "../second");
    write(join(folder, "second"), { "only-here.txt": "x\n" });
    git(join(folder, "second"), "add", "--all");
    git(join(folder, "second"), "commit", "--quiet", "--message=mine");
    const { quarantine } = await open(folder, join(folder, "second"));
    expect(await quarantine.resolve("HEAD")).toBe(git(repository, "rev-parse", "side").trim());
    expect(await quarantine.resolve("main")).toBe(git(repository, "rev-parse", "HEAD").trim());
  });

  it("of the other object format", async () => {
    const folder = newFolder();
    const repository = join(folder, "shop");
    mkdirSync(repository);
    git(repository, "init", "--quiet", "--object-format=sha256");
    write(repository, FILES);
    git(repository, "add", "--all");
    git(repository, "commit", "--quiet", "--message=one");
    await roundTrip(folder, repository);
  });

  it("with submodules, which stay as they are", async () => {
    const folder = newFolder();
    const repository = userRepository(folder);
    git(
      repository,
      "update-index",
      "--add",
      "--cacheinfo",
      `160000,${git(repository, "rev-parse", "HEAD").trim()},lib/part`,
    );
    git(repository, "commit", "--quiet", "--message=submodule");
    await roundTrip(folder, repository);
    expect(git(repository, "ls-tree", "refs/coord/run_test/T1/1", "lib/")).toContain("160000");
    const { workspaces } = await open(folder, repository);
    const workspace = await workspaces.prepare(attempt("2"));
    write(workspace.path, { "lib/part/file": "x" });
    expect(await workspace.import(request)).toMatchObject({ status: "refused", findings: [{ gate: "outside_view" }] });
  });

  it("moved since the quarantine was made, or named oddly", async () => {
    const folder = newFolder();
    const repository = userRepository(folder);
    await open(folder, repository);
    renameSync(repository, join(folder, 'sh "op'));
    await roundTrip(folder, join(folder, 'sh "op'));
  });

  it("collected by git meanwhile: the base is held", async () => {
    const folder = newFolder();
    const repository = userRepository(folder);
    const { workspaces } = await open(folder, repository);
    const workspace = await workspaces.prepare(attempt());
    git(repository, "checkout", "--quiet", "--orphan", "new");
    git(repository, "commit", "--quiet", "--message=other", "--allow-empty");
    for (const branch of ["main", "feature"]) git(repository, "branch", "--quiet", "-D", branch);
    git(repository, "tag", "-d", "v1");
    git(repository, "reflog", "expire", "--expire=now", "--all");
    git(repository, "gc", "--quiet", "--prune=now");
    write(workspace.path, { "src/cart.ts": "changed\n" });
    expect(await workspace.import(request)).toMatchObject({ status: "imported" });
  });
});

describe("opening a quarantine", () => {
  it("makes one of it, however many runs of a project begin at once, and never two in the same place", async () => {
    const folder = newFolder();
    const made = join(folder, "made");
    const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
    const recording = `#!/bin/sh\ncase " $* " in *" init "*) for last; do :; done; echo "$last" >> ${made};; esac\nexec ${real} "$@"\n`;
    write(folder, { "bin/git": recording });
    chmodSync(join(folder, "bin/git"), 0o755);
    const environment = { ...process.env, PATH: `${join(folder, "bin")}:${process.env["PATH"]}` };
    const options = { repository: userRepository(folder), environment, stateDirectory: join(folder, "s") };
    const opened = await Promise.all(Array.from({ length: 12 }, () => openQuarantine(options)));
    const [{ gitDir, directory, git: run, resolve }] = opened as [(typeof opened)[0]];
    const head = await resolve("HEAD");
    await Promise.all(opened.map((quarantine) => quarantine.holdBase(head)));
    const places = readFileSync(made, "utf8").trim().split("\n");
    // Git itself fails where two make a repository in the same place.
    expect(places).not.toContain(gitDir);
    expect(new Set(places).size).toBe(places.length);
    expect(readdirSync(join(directory, "temporary"))).toEqual([]);
    expect((await run.call({ gitDir, args: ["cat-file", "-e", head] })).code).toBe(0);
  });
});

describe("opening a quarantine again", () => {
  it("leaves what git needs of it alone, because others use it meanwhile", async () => {
    const folder = newFolder();
    const options = { repository: userRepository(folder), environment: process.env, stateDirectory: join(folder, "s") };
    const alternates = join((await openQuarantine(options)).gitDir, "objects", "info", "alternates");
    const { ino, mtimeMs } = statSync(alternates);
    await Promise.all([openQuarantine(options), openQuarantine(options)]);
    expect(statSync(alternates)).toMatchObject({ ino, mtimeMs });
    writeFileSync(alternates, "/gone\n");
    await openQuarantine(options);
    // Another file in its place, and not the same one written anew: nobody ever reads half of it.
    expect(statSync(alternates).ino).not.toBe(ino);
    expect(readFileSync(alternates, "utf8")).toBe(`${join(options.repository, ".git", "objects")}\n`);
  });
});

describe("refused with a fix is", () => {
  const refusal = async (repository: string, stateDirectory = join(newFolder(), "state")) =>
    openQuarantine({ repository, environment: process.env, stateDirectory }).then(
      () => null,
      (error: unknown) => error,
    );

  it.each([
    ["a folder that is not there", "true", "nowhere"],
    ["a folder without a repository", "mkdir it", "it"],
    ["a bare repository", "git init -q --bare it", "it"],
    ["a git directory", "git init -q it", "it/.git"],
    ["a repository without a commit", "git init -q it", "it"],
  ])("%s", async (_, script, name) => {
    const folder = newFolder();
    execFileSync("sh", ["-c", script], { cwd: folder });
    expect(await refusal(join(folder, name))).toMatchObject({
      code: "REPOSITORY_UNSUITABLE",
      fix: expect.stringMatching(/./),
    });
  });

  it("a state directory inside of the repository", async () => {
    const folder = newFolder();
    const repository = userRepository(folder);
    expect(await refusal(repository, join(repository, "state"))).toMatchObject({ code: "REPOSITORY_UNSUITABLE" });
  });

  it("a base that is not a commit", async () => {
    const folder = newFolder();
    const { workspaces } = await open(folder, userRepository(folder));
    await expect(workspaces.prepare({ ...attempt(), base: "--all" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("git that is not there", async () => {
    const folder = newFolder();
    const error = await openQuarantine({
      repository: userRepository(folder),
      environment: { PATH: folder, HOME: folder },
    }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "REPOSITORY_UNSUITABLE", fix: expect.stringContaining("PATH") });
    writeFileSync(join(folder, "x"), "");
  });
});
