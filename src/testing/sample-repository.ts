import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/* A repository of a person, in a folder of its own, with nothing of this machine's settings in it. */

export interface SampleRepository {
  /** Holds the repository and whatever a test puts beside it. */
  readonly folder: string;
  readonly path: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly git: (...args: string[]) => string;
  readonly write: (path: string, text: string) => void;
  /** Commits everything and gives the commit. */
  readonly commit: (message: string) => string;
  readonly remove: () => void;
}

export function sampleRepository(files: Readonly<Record<string, string>>): SampleRepository {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-sample-"));
  const path = join(folder, "project");
  mkdirSync(path);
  const environment = {
    PATH: process.env["PATH"],
    HOME: folder,
    XDG_STATE_HOME: join(folder, "state"),
    LANG: "C.UTF-8",
  };
  const person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"];
  const git = (...args: string[]) =>
    execFileSync("git", [...person, ...args], { cwd: path, env: environment, encoding: "utf8" }).trim();
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  };
  git("init", "-q");
  for (const [name, text] of Object.entries(files)) write(name, text);
  const commit = (message: string) => {
    git("add", "-A");
    git("commit", "-q", "--allow-empty", "-m", message);
    return git("rev-parse", "HEAD");
  };
  commit("The project as it is");
  return {
    folder,
    path,
    environment,
    git,
    write,
    commit,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
