// What the stories in this folder share: a project of their own in a temporary folder, git, the program, and a voice.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** Begin a story with the files of `project` beside it. The folder is gone when the process ends. */
export function story(url, { project: name = "project" } = {}) {
  const here = fileURLToPath(new URL(".", url));
  const folder = mkdtempSync(join(tmpdir(), "coordinator-story-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const project = join(folder, name);
  const env = { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8", TMPDIR: tmpdir() };
  cpSync(join(here, name), project, { recursive: true });

  const call = (command, args) => spawnSync(command, args, { cwd: project, encoding: "utf8", env });
  const git = (...args) => {
    const { status, stdout, stderr } = call("git", args);
    assert.equal(status, 0, `git ${args.join(" ")}: ${stderr}`);
    return stdout.trimEnd();
  };
  git("init", "-q", "-b", "main");
  git("config", "user.name", "ada");
  git("config", "user.email", "ada@example.org");

  return {
    here,
    folder,
    project,
    git,
    tell: (text) => console.log(`\n${text}`),
    show: (text) => console.log(text.trimEnd().replaceAll(/^/gm, "    ")),
    /** What a person keeps in their own settings, outside of every repository: it needs no trust. */
    own: (text) => {
      mkdirSync(join(folder, ".config", "coordinator"), { recursive: true });
      writeFileSync(join(folder, ".config", "coordinator", "config.yaml"), text);
    },
    write: (file, text) => writeFileSync(join(project, file), text),
    has: (file) => existsSync(join(project, file)),
    commit: (message) => {
      git("add", ".");
      git("commit", "-qm", message);
      return git("rev-parse", "HEAD");
    },
    /** One command as a person would type it. */
    coordinator: (...args) => {
      console.log(`  $ coordinator ${args.map(typed).join(" ")}`);
      return call(process.execPath, [program, ...args]);
    },
    /** One command that goes on beside the story: what it said so far, and its end. Killed when this process ends. */
    start: (...args) => {
      console.log(`  $ coordinator ${args.map(typed).join(" ")} &`);
      return begin(args, { project, env });
    },
    /** `coordinator serve` for the project: its address, the link that logs in once, and its end. Ctrl-C ends it, too. */
    serve: () => startServer(project, env),
    /** What a program reads instead. */
    asked: (...args) => JSON.parse(call(process.execPath, [program, ...args, "--json"]).stdout),
  };
}

function begin(args, { project, env }) {
  const child = spawn(process.execPath, [program, ...args], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  process.on("exit", () => child.kill("SIGKILL"));
  let said = "";
  const waiting = new Set();
  const look = () => waiting.forEach((one) => one());
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
      look();
    });
  let isOver = false;
  const ended = new Promise((resolve) =>
    child.once("close", (code) => {
      isOver = true;
      resolve(code);
      look();
    }),
  );
  return {
    said: () => said,
    ended,
    kill: (signal) => child.kill(signal),
    /** Resolves when it has said so; rejects when it ends before. */
    hasSaid: (wanted) =>
      new Promise((resolve, reject) => {
        const one = () => {
          if (!wanted.test(said) && !isOver) return;
          waiting.delete(one);
          if (wanted.test(said)) resolve();
          else reject(new Error(`it ended and did not say ${wanted}: ${said}`));
        };
        waiting.add(one);
        one();
      }),
  };
}

async function startServer(project, env) {
  const args = [program, "serve", "--project", project, "--port", "0"];
  const child = spawn(process.execPath, args, { cwd: project, env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  // Ctrl-C reaches the server as well; this process waits for it, so that the folder goes last.
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  const link = await new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const [, found] = /^Open once to log in: (\S+)$/m.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`coordinator serve ended with ${code}: ${said}`)));
  });
  return { link, url: new URL(link).origin, ended, stop };
}

/** Show a page in the person's browser, where somebody sits at a terminal. Elsewhere the link is enough. */
export function openInBrowser(link) {
  if (!process.stdout.isTTY || process.env.CI) return;
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(program, [link], { stdio: "ignore", detached: true });
  // Without such a program, or without a screen, the person opens the link.
  child.once("error", () => {});
  child.unref();
}

const typed = (word) => (/[^\w@%+=:,./-]/.test(word) ? `"${word}"` : word);

/**
 * Carry something out. Where there is no sandbox, and only then, the story goes on without one and says so: the agents
 * of these stories are our own programs.
 */
export function carriedOut({ coordinator, show }, ...args) {
  const run = coordinator(...args);
  if (!run.stderr.includes("SANDBOX_MISSING")) return { ...run, unsafe: [] };
  show("There is no sandbox here; the agent is our own program, so this run goes on without one. To have one:");
  show(/^.*--unsafe-no-sandbox.*$/m.exec(run.stderr)?.[0].trim() ?? "");
  const unsafe = ["--unsafe-no-sandbox"];
  return { ...coordinator(...args, ...unsafe), unsafe };
}
