import type { Finding } from "../finding.js";
import { type BytePath, shownPath } from "../../git/records.js";
import { foldName } from "../git-names.js";
import { listArriving, makeFinding, type GateInput } from "./gate-input.js";

/** Two names that are one on a file system that ignores case, or how an accent is written. Old pairs are the user's own. */
export function collisionGate(input: GateInput): Finding[] {
  const added = listArriving(input).filter(({ path }) => !input.base.has(path));
  if (added.length === 0) return [];
  const spelled = new Map<string, Map<BytePath, BytePath>>();
  for (const { path } of added)
    for (const prefix of prefixes(path)) {
      const key = foldName(shownPath(prefix));
      const known = spelled.get(key) ?? new Map<BytePath, BytePath>();
      if (!known.has(prefix)) known.set(prefix, path);
      spelled.set(key, known);
    }
  const findings = new Map<BytePath, Finding>();
  const folds = new Map<BytePath, string>();
  for (const path of input.tree.keys())
    for (const prefix of prefixes(path)) {
      const key = folds.get(prefix) ?? foldName(shownPath(prefix));
      folds.set(prefix, key);
      for (const [other, owner] of spelled.get(key) ?? [])
        if (other !== prefix && !findings.has(owner))
          findings.set(
            owner,
            makeFinding("collision", owner, `it is one with ${shownPath(prefix)} where case or accents do not count`),
          );
    }
  return [...findings.values()];
}

function* prefixes(path: BytePath): Generator<BytePath> {
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) yield path.slice(0, at);
  yield path;
}
