import type { Assignment, Redirect } from "./shell-commands.js";
import type { Word } from "./shell-word.js";

/** A command with its wrappers taken off, as the tables of paths, hosts and dangers look at it. */
export interface ReadCommand {
  readonly name: string;
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  readonly wrappers: readonly string[];
  /** Names of the programs whose output flows into it. */
  readonly fedBy: readonly string[];
  /** It gets arguments from its input. */
  readonly fed: boolean;
  /** Where it may run, from the root of the workspace; null where that cannot be determined. */
  readonly places: readonly (string | null)[];
}

export interface PathUse {
  readonly path: string;
  readonly access: "read" | "write" | "delete";
  /** The shell would make several names of it. */
  readonly pattern: boolean;
}

/** A path as seen from a directory. */
export function join(place: string, path: string): string {
  if (path.startsWith("/") || path.startsWith("~") || place === "") return path;
  return `${place}/${path}`;
}

/** The subcommand of git and what comes after it. */
export function gitParts(words: readonly Word[]): { readonly name: string; readonly args: readonly Word[] } {
  let at = 1;
  while (at < words.length && (words[at] as Word).text.startsWith("-"))
    at += /^(?:-c|-C|--git-dir|--work-tree|--namespace|--config-env)$/.test((words[at] as Word).text) ? 2 : 1;
  return { name: words[at]?.text ?? "", args: words.slice(at + 1) };
}
