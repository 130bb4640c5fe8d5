// Requests that other people wrote. The project keeps labels and addresses; the texts lie in a folder beside it (`--texts=DIR`).
import { join } from "node:path";
import { readSet, root } from "./data.mjs";

export const COMMITS = "commits.jsonl";
export const PUBLIC = "routing-public.jsonl";
/** The newest ones, by another labeller, with their category. */
export const NEW = "routing-new.jsonl";

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
export const publicRequests = (folder) => byHash(folder, PUBLIC);
export const newRequests = (folder) => byHash(folder, NEW);

function byHash(folder, name) {
  const labels = readSet(name, join(root, "docs", "labels", name));
  const texts = readSet(name, join(folder, name));
  if (texts === null) throw new Error(`${folder} has no ${name}: docs/labels/routing.md says what it holds`);
  const textOf = new Map(texts.entries.map(({ sha256, text }) => [sha256, text]));
  const entries = labels.entries.flatMap(({ owner, route: target, category, kind, ...label }) => {
    const text = textOf.get(label.sha256);
    if (text === undefined) return [];
    return [
      {
        ...label,
        kind: kind === "line" ? "terse" : kind,
        category: category ?? (target === "dev" ? "technical_explicit" : "product"),
        text,
        // A collection that does not name the repository: each text is its own group.
        ...(owner.startsWith("unknown") ? {} : { source_repo: owner }),
      },
    ];
  });
  return { name, sha256: labels.sha256, entries };
}
