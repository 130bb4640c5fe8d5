// Labelled texts: the project's own, those beside it when they are there, and corrections of a team.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "./folds.mjs";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Texts of other people, which are not part of the project. */
export const shared = process.env.COORDINATOR_EVAL_DATA ?? join(dirname(root), "shared", "eval");

/** The entries of a file of JSON lines, with its hash; null when it is not there. */
export function readSet(name, path) {
  if (!existsSync(path)) return null;
  const text = readFileSync(path, "utf8");
  const entries = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
  return { name, sha256: sha256(text), entries };
}

export const ownerOf = (repo) =>
  String(repo ?? "")
    .split("/")[0]
    .toLowerCase();
