// Programs as a person at a terminal would start them, each with a limit of its own.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../steps.mjs";

const COORDINATOR = join(root, "dist", "cli", "main.js");
export const AGENT = join(root, "dist", "hands", "agents", "scripted", "scripted-agent.mjs");

/** A program in a folder: its code, what it printed, and how long it took. Code null: it was stopped at the limit. */
export function start(program, args, { cwd, env = process.env, minutes = 15 }) {
  const began = performance.now();
  const options = { cwd, env, encoding: "utf8", timeout: minutes * 60_000, maxBuffer: 1 << 30 };
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  const seconds = (performance.now() - began) / 1000;
  if (error !== undefined && error.code !== "ETIMEDOUT") throw error;
  return { code: status, stdout: stdout ?? "", stderr: stderr ?? "", seconds };
}

/** The coordinator on a project, nobody at the terminal: its code, seconds, and every JSON document it printed. */
export function coordinatorIn(project) {
  return (...args) => {
    const done = start(process.execPath, [COORDINATOR, "--json", ...args], project);
    const documents = done.stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
    return { ...done, documents, last: documents.at(-1) ?? {} };
  };
}

export function gitIn(cwd, env = process.env) {
  return (...args) => {
    const { code, stdout, stderr } = start("git", args, { cwd, env });
    if (code !== 0) throw new Error(`git ${args[0]}: ${stderr.trim()}`);
    return stdout;
  };
}
