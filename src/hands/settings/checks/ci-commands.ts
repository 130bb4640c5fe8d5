import { parse } from "yaml";
import type { ProjectFiles } from "../detected-check.js";
import { splitCommand } from "./split-command.js";

/*
 * Commands that a project's CI runs, and its people trust. Read from the files of GitHub, GitLab and Travis, never run
 * by being read. What only the CI knows (a matrix, a secret, an expression) is left out.
 */

export interface CiCommand {
  /** One simple command. */
  readonly run: string;
  /** Where it is run, from the root. */
  readonly folder: string;
  /** The file that says so. */
  readonly because: string;
  /** Whether the CI then asks git if files were changed by it. */
  readonly compares: boolean;
}

/** Workflows that prove nothing of a change. */
const OTHER =
  /release|publish|deploy|docs?\b|pages|codeql|scorecard|stale|lock|label|fuzz|zizmor|nightly|docker|backport|sponsor|autofix|bench|issues?\b/i;
const MOST_FILES = 20;

export async function ciCommands({ read, list }: ProjectFiles): Promise<CiCommand[]> {
  const folder = ".github/workflows";
  const names = [...(await list(folder))].filter((name) => /\.ya?ml$/.test(name) && !OTHER.test(name)).sort();
  const found: CiCommand[] = [];
  for (const name of names.slice(0, MOST_FILES)) {
    const file = `${folder}/${name}`;
    found.push(...fromWorkflow(yamlOf(await read(file)), file));
  }
  found.push(...fromGitlab(yamlOf(await read(".gitlab-ci.yml"))));
  const travis = yamlOf(await read(".travis.yml"));
  found.push(...textsOf(at(travis, "script")).flatMap((text) => commandsIn(text, ".", ".travis.yml")));
  return unique(found);
}

function fromWorkflow(workflow: unknown, file: string): CiCommand[] {
  const general = folderOf(at(at(at(workflow, "defaults"), "run"), "working-directory"));
  return Object.values(objectOf(at(workflow, "jobs"))).flatMap((job) => {
    const machine = at(job, "runs-on");
    if (typeof machine === "string" && /windows|macos/.test(machine)) return [];
    const own = folderOf(at(at(at(job, "defaults"), "run"), "working-directory")) ?? general;
    const steps = at(job, "steps");
    return (Array.isArray(steps) ? steps : []).flatMap((step: unknown) => {
      const run = at(step, "run");
      const named = at(step, "working-directory");
      const folder = named === undefined ? (own ?? ".") : folderOf(named);
      return typeof run === "string" && folder !== null ? commandsIn(run, folder, file) : [];
    });
  });
}

function fromGitlab(pipeline: unknown): CiCommand[] {
  return Object.entries(objectOf(pipeline)).flatMap(([name, job]) =>
    OTHER.test(name) ? [] : textsOf(at(job, "script")).flatMap((text) => commandsIn(text, ".", ".gitlab-ci.yml")),
  );
}

/** The simple commands of a script, in the folder a `cd` before them leads to. */
function commandsIn(script: string, start: string, because: string): CiCommand[] {
  const found: CiCommand[] = [];
  const compares = /^\s*git diff\b.*--exit-code/m.test(script);
  let folder: string | null = start;
  for (const line of script.replaceAll(/\\\n\s*/g, " ").split("\n")) {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    for (const run of splitCommand(text) ?? []) {
      const [, to] = /^cd\s+(\S+)$/.exec(run) ?? [];
      if (to !== undefined) folder = folder === null ? null : folderOf(`${folder}/${to}`);
      else if (folder !== null && !/\$\{\{|\$\w|\$\{/.test(run)) found.push({ run, folder, because, compares });
    }
  }
  return found;
}

/** A folder below the root, without `.` and `..`; null when it is none that can be known. */
function folderOf(value: unknown): string | null {
  if (typeof value !== "string" || /\$|^\/|~/.test(value)) return null;
  const parts: string[] = [];
  for (const part of value.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.length === 0 ? "." : parts.join("/");
}

function unique(commands: readonly CiCommand[]): CiCommand[] {
  const seen = new Set<string>();
  return commands.filter(({ run, folder }) => {
    const key = `${folder}\0${run}`;
    return !seen.has(key) && seen.add(key);
  });
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

const at = (value: unknown, key: string): unknown => objectOf(value)[key];

function textsOf(value: unknown): string[] {
  const all = Array.isArray(value) ? (value as unknown[]).flat() : [value];
  return all.filter((each) => typeof each === "string");
}

function yamlOf(text: string | null): unknown {
  if (text === null) return null;
  try {
    return parse(text, { logLevel: "silent" });
  } catch {
    return null;
  }
}
