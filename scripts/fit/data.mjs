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

/** Whether a set is part of the project, or made of such sets. */
export const isOwn = ({ name }) => !name.startsWith("shared/");

export const ownerOf = (repo) =>
  String(repo ?? "")
    .split("/")[0]
    .toLowerCase();

/**
 * Corrections of people, as rows of one more set. A correction counts twice: it is what this team wants.
 * `kinds` are the kinds of corrections that teach this task; `rowOf` gives the text and the label of one, and what else its row has.
 */
export function correctionRows(path, kinds, rowOf) {
  const set = readSet("corrections", path);
  if (set === null) throw new Error(`there is no file ${path} with corrections`);
  const rows = set.entries
    .filter((entry) => kinds.includes(entry.kind))
    .map((entry, at) => ({
      id: `correction-${at}`,
      set: "corrections",
      confidence: "high",
      weight: 2,
      group: `correction-${at}`,
      ...rowOf(entry),
    }));
  return { name: set.name, sha256: set.sha256, rows };
}
