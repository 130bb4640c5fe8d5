import { userInfo } from "node:os";
import { findBounds } from "../../foundation/files/project-bounds.js";
import { gitWords } from "../../hands/git/nothing-of-clone.js";
import type { Project } from "../project/project.js";
import type { Person } from "./roles.js";
import { readGitSync } from "../../hands/git/start-git.js";

/** Where git is asked, and with which variables. */
type Place = Pick<Project, "cwd" | "environment">;

/** Who decides: the name they gave, else git's, else the system's. */
export function currentUser(given: string | undefined, place: Place): string {
  return clean(given) ?? clean(gitSetting("user.name", place)) ?? clean(systemName()) ?? "somebody";
}

/** Returns the current person with every name that settings may use. Git's address belongs to the name that git has. */
export function currentPerson(given: string | undefined, place: Place): Person {
  return {
    name: currentUser(given, place),
    email: clean(given) === null ? clean(gitSetting("user.email", place)) : null,
  };
}

function clean(name: string | undefined): string | null {
  const line = name?.replaceAll(/\s+/g, " ").trim() ?? "";
  return line === "" ? null : line.slice(0, 100);
}

/** Asked in the checkout: a folder of a clone that looks like a bare repository has settings of its own. */
function gitSetting(key: string, { cwd, environment }: Place): string | undefined {
  const { words, cwd: outside } = gitWords(findBounds(cwd) ?? cwd);
  const said = readGitSync([...words, "config", "--get", key], { cwd: outside, env: environment, timeoutMs: 5000 });
  return said ?? undefined;
}

function systemName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // A process may run under a number nobody has named.
    return undefined;
  }
}
