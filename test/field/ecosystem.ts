import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Base, Files, Git } from "./bench.js";

/*
 * A small library in one language: `add`, tested by "adds", and `double`, tested by "doubles". Every state of its base and
 * every change to it is made of the same few files.
 */

export type State =
  | "green"
  | "red"
  | "does not compile"
  | "missing tool"
  | "no tests"
  | "flaky"
  | "monorepo"
  | "submodule";

/**
 * good: another function, with its test. harmful: `add` subtracts; without tests, the source is not a program any more. The
 * next three do the same harm and hide it: the test that would see it is removed or skipped, or what runs the tests is told
 * to leave it out. mended: what was wrong with the base is put right.
 */
export type ChangeName = "good" | "harmful" | "removed" | "skipped" | "loosened" | "mended";

export interface Ecosystem {
  readonly name: string;
  /** Programs without which nothing can be said here. */
  readonly needs: readonly string[];
  /** A cache below the home, and the command that fills it in a base that is green: otherwise every check compiles the same again. */
  readonly cache?: { readonly folder: `~/${string}`; readonly fill: string };
  readonly bases: Readonly<Partial<Record<State, Base>>>;
  readonly changes: Readonly<Record<ChangeName, (base: Base["files"]) => Files>>;
}

/** Replaces a piece of a text. Contract: throws where it is not there, so that no change is empty by accident. */
export function replaced(text: string | null | undefined, piece: string | RegExp, by: string): string {
  const changed = text?.replace(piece, by);
  if (changed === undefined || changed === text)
    throw new Error(`There is no ${String(piece)} in:\n${text ?? "nothing"}`);
  return changed;
}

/** One file of the base with a piece of it replaced. */
export function edited(base: Files, path: string, piece: string | RegExp, by: string): Files {
  return { [path]: replaced(base[path], piece, by) };
}

/** Another repository beside this one, and this file of it below `vendor/other`. */
export function withSubmodule(name: string, text: string): (git: Git, folder: string) => void {
  return (git, folder) => {
    const other = join(folder, "other");
    mkdirSync(other);
    writeFileSync(join(other, name), text);
    git("-C", other, "init", "-q", "-b", "main");
    git("-C", other, "add", "-A");
    git("-C", other, "commit", "-q", "-m", "What others need");
    git("submodule", "--quiet", "add", other, "vendor/other");
  };
}
