// The changes that the scripted agent writes: the real change of a commit, and the same change with harm done to it.
import { kindOf } from "./choose-commit.mjs";

/** The files of a commit as the agent leaves them; `text` is null for one it deletes. */
export function realChange(git, commit) {
  return commit.files.map(({ path, kind }) => ({ path, kind, text: textAt(git, commit.hash, path) }));
}

function textAt(git, revision, path) {
  try {
    return git("show", `${revision}:${path}`);
  } catch {
    return null;
  }
}

/** A line no compiler or interpreter takes, in the first changed source file that exists afterwards. */
export function withSyntaxError(change) {
  const at = change.findIndex(({ kind, text }) => kind === "source" && text !== null);
  if (at === -1) return null;
  const file = change[at];
  const broken = { ...file, text: `${file.text}\n)]} this is not a program {[(\n` };
  return { what: `syntax error in ${file.path}`, files: change.with(at, broken) };
}

/** Each turns what an assertion says into its opposite, without naming anything of a single repository. */
const TURNS = [
  [/\bassert_eq!\(/, "assert_ne!("],
  [/\bassert!\((?!\s*!)/, "assert!(!"],
  [
    /\bexpect\((.+)\)\.(toBe|toEqual|toStrictEqual|toMatchObject|toMatchInlineSnapshot|toThrow\w*)\(/,
    "expect($1).not.$2(",
  ],
  [
    /\bassert\.(equal|strictEqual|deepEqual|deepStrictEqual)\(/,
    (_, name) => `assert.not${name[0].toUpperCase()}${name.slice(1)}(`,
  ],
  [/\bt\.is\(/, "t.not("],
  [/\bt\.deepEqual\(/, "t.notDeepEqual("],
  [/\bassertEqual(s?)\(/, "assertNotEqual$1("],
  [/\bassert_equal\b/, "refute_equal"],
  [/\bassertThat\((.+)\)\.isEqualTo\(/, "assertThat($1).isNotEqualTo("],
  [/\bTEST_ASSERT_EQUAL(_INT)?\(/, "TEST_ASSERT_NOT_EQUAL("],
  [
    /\bTEST_ASSERT_(TRUE|FALSE|NULL|NOT_NULL)(_MESSAGE)?\(/,
    (_, what, more = "") => `TEST_ASSERT_${OPPOSITE[what]}${more}(`,
  ],
  [/\bif (\w+) != (\w+|"[^"]*") \{$/m, "if $1 == $2 {"],
  [/\bif !reflect\.DeepEqual\(/, "if reflect.DeepEqual("],
  [/^(\s+)assert (?!not\b)([^,\n]+?) == (.+)$/m, "$1assert $2 != $3"],
];
const OPPOSITE = { TRUE: "FALSE", FALSE: "TRUE", NULL: "NOT_NULL", NOT_NULL: "NULL" };

/**
 * The real change, and one assertion of a test turned around: in a test the commit changes where there is one, else in
 * any test of the repository. Null where no assertion is written in a form that is known.
 */
export function withTurnedAssertion(git, commit, change) {
  const changed = change.filter(({ kind, text }) => kind === "test" && text !== null);
  for (const { path, text } of [...changed, ...otherTests(git, commit)]) {
    const turned = turnOne(text);
    if (turned === null) continue;
    const files = [...change.filter((file) => file.path !== path), { path, kind: "test", text: turned.text }];
    return { what: `${path}: ${turned.line}`, files };
  }
  return null;
}

function* otherTests(git, { hash }) {
  const paths = git("ls-tree", "-r", "--name-only", hash).split("\n");
  for (const path of paths.filter((each) => kindOf(each) === "test").slice(0, 200)) {
    const text = textAt(git, hash, path);
    if (text !== null) yield { path, text };
  }
}

function turnOne(text) {
  for (const [pattern, into] of TURNS) {
    const at = text.search(pattern);
    if (at === -1) continue;
    const end = text.indexOf("\n", at);
    const to = end === -1 ? text.length : end;
    const line = text.slice(at, to).replace(pattern, into);
    if (line === text.slice(at, to)) continue;
    return { text: text.slice(0, at) + line + text.slice(to), line: line.trim().slice(0, 80) };
  }
  return null;
}
