// Which commit of a history is walked: the newest one that a person could have asked for in its own words.
import { extname } from "node:path";

const SOURCE = new Set(
  "c cc cpp cs ex go h hpp java js jsx kt mjs cjs mts cts php py rb rs scala sh swift ts tsx".split(" "),
);
const DOCUMENT = new Set("adoc md mdx rdoc rst txt".split(" "));
const TEST_PATH =
  /(^|\/)(tests?|__tests__|spec|typing_tests)\/|[._-](test|spec)\.\w+$|(^|\/)test_[^/]*$|_test\.\w+$|Tests?\.java$/;
const ASIDE =
  /(^|\/)(bench(es|marks?)?|examples?|_examples|docs?|site|fuzz(ing)?|scripts?|playground|\.[^/]+)\/|\.config\.\w+$/;
const NOTES = /(^|\/)(\.changeset|changelog\.d)\/|(^|\/)(CHANGES|CHANGELOG|History)\b/i;
const CHORE = /^(bump|release|version|merge|revert|chore|ci|docs?|build|style|typo|lint|refactor|prepare|v?\d)\b/i;

/** The kind of a changed path: source, test, document, or something else. */
export function kindOf(path) {
  const ending = extname(path).slice(1);
  if (NOTES.test(path) || DOCUMENT.has(ending)) return "document";
  if (TEST_PATH.test(path)) return "test";
  return SOURCE.has(ending) && !ASIDE.test(path) ? "source" : "other";
}

/**
 * A commit that changes source, with its tests where there is one, and nothing that asks for other packages: small
 * enough to be one request, with a subject that says something. Null when the last `among` commits have none.
 */
export function chooseCommit(git, among = 400) {
  const log = logOf(git, among);
  const fitting = log
    .split("\x01")
    .slice(1)
    .map(readCommit)
    .filter((commit) => isSuitable(commit));
  return fitting.find(({ files }) => files.some(({ kind }) => kind === "test")) ?? fitting[0] ?? null;
}

const FORMAT = ["--no-renames", "--numstat", "--format=%x01%H%x00%P%x00%s"];

/** A clone may lack objects of its far past; then less of it is looked at. */
function logOf(git, among) {
  try {
    return git("log", "--no-merges", "-n", String(among), ...FORMAT);
  } catch (error) {
    if (among <= 10) throw error;
    return logOf(git, Math.floor(among / 4));
  }
}

/** The named commit, whatever it changes. */
export function readNamed(git, revision) {
  const log = git("log", "-n", "1", ...FORMAT, revision);
  return readCommit(log.split("\x01")[1]);
}

function readCommit(text) {
  const [head, ...rows] = text.trim().split("\n");
  const [hash, parents, subject] = head.split("\0");
  const files = rows.filter(Boolean).map((row) => {
    const [added, removed, path] = row.split("\t");
    return { path, kind: kindOf(path), lines: Number(added) + Number(removed) };
  });
  return { hash, parents: parents.split(" ").filter(Boolean), request: requestOf(subject), files };
}

/** The words a person would use: without the number of the pull request. */
function requestOf(subject) {
  return subject
    .replace(/\s*\(#\d+\)\s*$/, "")
    .replace(/^(feat|fix|perf)(\([^)]*\))?!?:\s*/i, (_, kind) => `${VERB[kind.toLowerCase()]} `);
}

const VERB = { feat: "Add:", fix: "Fix:", perf: "Speed up:" };

function isSuitable({ parents, request, files }) {
  const lines = files.reduce((sum, file) => sum + file.lines, 0);
  return (
    parents.length === 1 &&
    request.split(/\s+/).length >= 3 &&
    !CHORE.test(request) &&
    files.length <= 8 &&
    lines <= 300 && // a binary file has no number of lines, and NaN is not within it
    files.some(({ kind }) => kind === "source") &&
    files.every(({ kind }) => kind !== "other")
  );
}
