import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Git } from "../../src/hands/integration/merge.js";

/* A bare repository made of many small stories at once, through one `git fast-import`. */

export type Files = ReadonlyMap<string, string>;

export interface Story {
  readonly name: string;
  readonly base: Files;
  readonly ours: Files;
  readonly theirs: Files;
}

export interface Laboratory {
  readonly git: Git;
  readonly commitOf: (story: Story, side: "base" | "ours" | "theirs") => string;
  /** Everything that stands in a tree, by path. */
  readonly filesOf: (tree: string) => Promise<Files>;
  readonly remove: () => void;
}

const AUTHOR = {
  GIT_AUTHOR_NAME: "lab",
  GIT_AUTHOR_EMAIL: "lab@localhost",
  GIT_COMMITTER_NAME: "lab",
  GIT_COMMITTER_EMAIL: "lab@localhost",
};

export function openLaboratory(stories: readonly Story[]): Laboratory {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-lab-"));
  const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1", ...AUTHOR };
  execFileSync("git", ["init", "-q", "--bare", folder], { env });
  execFileSync("git", ["--git-dir", folder, "fast-import", "--quiet"], { env, input: stories.map(written).join("") });
  const git = gitIn(folder, env);
  const refs = execFileSync("git", ["--git-dir", folder, "for-each-ref", "--format=%(refname) %(objectname)"], {
    env,
    encoding: "utf8",
  });
  const commits = new Map(
    refs
      .trim()
      .split("\n")
      .map((line) => line.split(" ") as [string, string]),
  );
  return {
    git,
    commitOf: (story, side) => commits.get(`refs/heads/${story.name}/${side}`) ?? "",
    filesOf: async (tree) => {
      const { stdout } = await git.run(["ls-tree", "-r", "-z", tree]);
      const files = new Map<string, string>();
      for (const entry of stdout.split("\0").filter((line) => line !== "")) {
        const [, object = "", path = ""] = /^\d+ blob ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? [];
        files.set(path, (await git.run(["cat-file", "blob", object])).stdout);
      }
      return files;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function written({ name, base, ours, theirs }: Story): string {
  return (
    commit(`refs/heads/${name}/base`, null, base) +
    commit(`refs/heads/${name}/ours`, `refs/heads/${name}/base`, ours) +
    commit(`refs/heads/${name}/theirs`, `refs/heads/${name}/base`, theirs)
  );
}

function commit(ref: string, from: string | null, files: Files): string {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const parent = from === null ? "" : `from ${from}\n`;
  const content = [...files].map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`).join("");
  return `commit ${ref}\ncommitter lab <lab@localhost> 0 +0000\n${data(from === null ? "base" : ref)}${parent}deleteall\n${content}\n`;
}

function gitIn(folder: string, env: NodeJS.ProcessEnv): Git {
  let made = 0;
  return {
    run: (args, options = {}) =>
      new Promise((resolve, reject) => {
        const index = options.index === undefined ? {} : { GIT_INDEX_FILE: options.index };
        const child = spawn("git", ["--git-dir", folder, ...args], { env: { ...env, ...index } });
        const [out, err]: [Buffer[], Buffer[]] = [[], []];
        child.stdout.on("data", (piece: Buffer) => out.push(piece));
        child.stderr.on("data", (piece: Buffer) => err.push(piece));
        child.once("error", reject);
        child.once("close", (code) =>
          resolve({ code: code ?? -1, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
        );
        // Git may end before it has read what it does not need.
        child.stdin.on("error", () => undefined);
        child.stdin.end(options.input ?? "");
      }),
    processes: {
      open: (args, input, onOutput) =>
        new Promise((resolve) => {
          const child = spawn("git", ["--git-dir", folder, ...args], { env, stdio: ["pipe", "pipe", "ignore"] });
          child.stdout.on("data", onOutput);
          child.once("close", resolve);
          child.stdin.on("error", () => undefined);
          input.pipe(child.stdin);
        }),
      committer: "lab <lab@localhost>",
    },
    withIndex: (use) => use(join(folder, `index-${made++}`)),
  };
}
