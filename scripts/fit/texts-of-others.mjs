// Requests that other people wrote. The project keeps labels and addresses; the texts lie in a folder beside it (`--texts=DIR`).
import { join } from "node:path";
import { readSet, root } from "./data.mjs";

export const COMMITS = "commits.jsonl";
export const PUBLIC = "routing-public.jsonl";

/** Labels of the project with the texts of a folder beside it. */
export function commits(folder) {
  const labels = readSet(COMMITS, join(root, "scripts", "fit", "labels", COMMITS));
  const texts = readSet(COMMITS, join(folder, COMMITS));
  if (texts === null) throw new Error(`${folder} has no commits.jsonl: scripts/fit/commit-texts.mjs writes it`);
  const textOf = new Map(texts.entries.map(({ source, text }) => [source, text]));
  const entries = labels.entries.flatMap((label) => {
    const text = textOf.get(label.source);
    return text === undefined ? [] : [{ ...label, id: label.source, kind: "terse", text, source_repo: label.source }];
  });
  return { ...texts, name: COMMITS, entries };
}

/** Labels of the project with the texts of a folder beside it, found by their hash. */
export function publicRequests(folder) {
  const labels = readSet(PUBLIC, join(root, "docs", "labels", PUBLIC));
  const texts = readSet(PUBLIC, join(folder, PUBLIC));
  if (texts === null) throw new Error(`${folder} has no ${PUBLIC}: docs/labels/routing.md says what it holds`);
  const textOf = new Map(texts.entries.map(({ sha256, text }) => [sha256, text]));
  const entries = labels.entries.flatMap(({ owner, route: target, ...label }) => {
    const text = textOf.get(label.sha256);
    if (text === undefined) return [];
    const category = target === "dev" ? "technical_explicit" : "product";
    // A collection that does not name the repository: each text is its own group.
    return [{ ...label, category, text, ...(owner.startsWith("unknown") ? {} : { source_repo: owner }) }];
  });
  return { name: PUBLIC, sha256: labels.sha256, entries };
}
