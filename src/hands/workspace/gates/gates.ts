import { compileGlob } from "../../../foundation/globs/glob.js";
import type { Finding } from "../finding.js";
import { type BytePath, shownPath } from "../../git/records.js";
import { gitRefuses, isUtf8, leadsIntoGit } from "../git-names.js";
import { attributeGate } from "./attributes.js";
import { collisionGate } from "./collisions.js";
import { listArriving, makeFinding, type GateInput } from "./gate-input.js";
import { settingsGate } from "./settings.js";
import { symlinkGate } from "./symlinks.js";

/*
 * Gates that a tree must pass before it may enter the user's repository. Pure: each gate looks at the two trees, what differs
 * between them and the few contents that matter, and says what it found. One finding refuses the whole import.
 */

const MOST_FINDINGS = 1000;

/** Contract: pure and total; the same input gives the same findings in the same order. */
export function gates(input: GateInput): readonly Finding[] {
  const every = [
    modeGate,
    nameGate,
    scopeGate,
    sizeGate,
    settingsGate,
    collisionGate,
    attributeGate,
    symlinkGate,
    bareRepositoryGate,
  ];
  return every.flatMap((gate) => gate(input)).slice(0, MOST_FINDINGS);
}

function modeGate(input: GateInput): Finding[] {
  const allowed = ["100644", "100755", "120000"];
  return input.changes.flatMap(({ path, from, to, status }) => {
    if (from.mode === "160000" || to.mode === "160000")
      return [makeFinding("gitlink", path, "a submodule may not be added, changed or removed")];
    return status === "D" || allowed.includes(to.mode)
      ? []
      : [makeFinding("gitlink", path, `mode ${to.mode} is not allowed`)];
  });
}

function nameGate(input: GateInput): Finding[] {
  return listArriving(input).flatMap(({ path, to }) => {
    const text = shownPath(path);
    if (!isUtf8(path)) return [makeFinding("name", path, "the name is not UTF-8")];
    if (gitRefuses(text, to.mode === "120000" ? "symlink" : "file") || leadsIntoGit(text))
      return [makeFinding("name", path, "the name stands for a repository's own files")];
    // oxlint-disable-next-line no-control-regex -- control characters are what it is for
    if (/[\u0000-\u001f\u007f]/.test(text)) return [makeFinding("name", path, "the name has control characters")];
    return path.length > input.limits.pathBytes
      ? [makeFinding("too_deep", path, `the path is longer than ${input.limits.pathBytes} bytes`)]
      : [];
  });
}

function scopeGate({ changes, write }: GateInput): Finding[] {
  const matchers = write.map(compileGlob);
  return changes
    .filter(({ path }) => !matchers.some((matches) => matches(shownPath(path))))
    .map(({ path }) => makeFinding("outside_write_scope", path, "no pattern of the write scope matches it"));
}

function sizeGate({ changes, sizes, limits, tree }: GateInput): Finding[] {
  const findings: Finding[] = [];
  let total = 0;
  for (const { path } of changes) {
    const size = sizes.get(path) ?? 0;
    total += size;
    if (size > limits.fileBytes)
      findings.push(makeFinding("too_large", path, `${size} bytes are more than ${limits.fileBytes}`));
  }
  if (total > limits.totalBytes)
    findings.push(makeFinding("too_large", "", `${total} bytes changed are more than ${limits.totalBytes}`));
  if (changes.length > limits.changedFiles)
    findings.push(makeFinding("too_many", "", `${changes.length} files changed are more than ${limits.changedFiles}`));
  if (tree.size > limits.treeEntries)
    findings.push(makeFinding("too_many", "", `the tree has more than ${limits.treeEntries} files`));
  return findings;
}

/** A folder that git takes for a repository when somebody works in it: its settings would be run. */
function bareRepositoryGate(input: GateInput): Finding[] {
  const touched = new Set(
    listArriving(input).flatMap(({ path }) => [...repositoryParts(path)].map(({ folder }) => folder)),
  );
  if (touched.size === 0) return [];
  const found = new Map<string, Set<string>>();
  for (const path of input.tree.keys())
    for (const { folder, part } of repositoryParts(path))
      if (touched.has(folder)) found.set(folder, (found.get(folder) ?? new Set()).add(part));
  return [...found]
    .filter(([, parts]) => parts.size === 3)
    .map(([folder]) => ({
      gate: "bare_repository",
      path: folder,
      detail: "git would take the folder for a repository",
    }));
}

/** The folders this path would help to make a repository. */
function* repositoryParts(path: BytePath): Generator<{ folder: string; part: string }> {
  const segments = shownPath(path).split("/");
  for (const [at, segment] of segments.entries()) {
    const part = segment.toLowerCase();
    const isLast = at === segments.length - 1;
    if ((part === "head" && isLast) || ((part === "objects" || part === "refs") && !isLast))
      yield { folder: segments.slice(0, at).join("/").toLowerCase(), part };
  }
}
