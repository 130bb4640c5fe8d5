import { withoutComments } from "./source-code.js";

/*
 * The tests in a text and how much each of them asserts. It is a reading of text and not of a program: it knows how tests
 * are written in each language, and nothing of what they do.
 */

export interface TestBody {
  readonly name: string;
  /** How many things in it look like an assertion that may fail. */
  readonly asserts: number;
  /** It ends, or leaves out what follows, before it asserts anything. */
  readonly isCutShort: boolean;
  /** A failure in it is caught and dropped. */
  readonly swallows: boolean;
}

interface Found {
  readonly name: string;
  readonly body: string;
}

/** Contract: pure and total; tests in the order they stand in, a name as often as it is there. */
export function testsIn(path: string, text: string): TestBody[] {
  const code = withoutComments(path, text);
  const blank = withoutComments(path, text, "blanked");
  return [...bodiesIn(path, code, blank)].map(({ name, body }) => ({
    name,
    asserts: assertionsIn(body),
    isCutShort: isCutShort(body, path.endsWith(".py")),
    swallows:
      /catch\s*(?:\([^)]*\))?\s*\{\s*\}|except[^\n:]*:\s*(?:\n\s*)?(?:pass|\.\.\.)|rescue\b[^\n]*\n\s*end|\brecover\(\)/.test(
        body,
      ),
  }));
}

/** How much a whole file asserts, whatever its tests are called. */
export function assertionsOf(path: string, text: string): number {
  return assertionsIn(withoutComments(path, text));
}

function* bodiesIn(path: string, code: string, blank: string): Generator<Found> {
  if (/\.[cm]?[jt]sx?$/.test(path)) yield* calls(code, blank);
  else if (path.endsWith(".py")) yield* findIndented(code);
  else if (path.endsWith(".rb")) yield* ruby(code);
  else yield* findBraced(code, blank, path);
}

/** `test("adds", () => { … })` */
function* calls(code: string, blank: string): Generator<Found> {
  const opening = /\b(?:it|test|specify|scenario|bench)(?:\.\w+)*\s*\(\s*(["'`])/g;
  for (const match of blank.matchAll(opening)) {
    const open = blank.indexOf("(", match.index);
    const end = findClosing(blank, open, "(", ")");
    const [, , name = ""] = /^\(\s*(["'`])((?:\\.|(?!\1).)*)\1/s.exec(code.slice(open, end)) ?? [];
    if (name !== "") yield { name, body: code.slice(open + name.length, end) };
  }
}

/** `def test_adds(self):` and what is indented below it; a class is part of the name. */
function* findIndented(code: string): Generator<Found> {
  const lines = code.split("\n");
  let inClass: { readonly name: string; readonly indent: number } | null = null;
  for (const [index, line] of lines.entries()) {
    const [, indent = "", kind, name = ""] = /^(\s*)(?:async\s+)?(def|class)\s+(\w+)/.exec(line) ?? [];
    if (kind === undefined) continue;
    if (inClass !== null && indent.length <= inClass.indent) inClass = null;
    if (kind === "class") inClass = { name, indent: indent.length };
    if (kind === "class" || !name.startsWith("test")) continue;
    const rest = lines.slice(index + 1);
    const length = rest.findIndex(
      (each) => each.trim() !== "" && (/^\s*/.exec(each)?.[0].length ?? 0) <= indent.length,
    );
    const body = [line.slice(line.indexOf(":") + 1), ...(length === -1 ? rest : rest.slice(0, length))].join("\n");
    yield { name: inClass === null ? name : `${inClass.name}.${name}`, body };
  }
}

function* ruby(code: string): Generator<Found> {
  const lines = code.split("\n");
  for (const [index, line] of lines.entries()) {
    const [, indent = "", called, defined] =
      /^(\s*)(?:(?:it|test|specify|should)\s*\(?\s*["']([^"']+)|def\s+(test_\w+))/.exec(line) ?? [];
    const name = called ?? defined;
    if (name === undefined) continue;
    const rest = lines.slice(index + 1);
    const length = rest.findIndex((each) => each.startsWith(`${indent}end`));
    yield { name, body: rest.slice(0, length === -1 ? rest.length : length).join("\n") };
  }
}

/** Functions in braces that are tests by their name or by what stands before them. */
function* findBraced(code: string, blank: string, path: string): Generator<Found> {
  const named = path.endsWith(".go")
    ? /\bfunc\s+(?:\([^)]*\)\s*)?((?:Test|Fuzz|Example)\w*)\s*\([^)]*\)[^{;]*\{/g
    : path.endsWith(".rs")
      ? /#\[(?:\w+::)*test[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)\s*\([^)]*\)[^{;]*\{/g
      : /(?:@(?:Parameterized)?Test\b[^{};]*?\b|\[(?:Fact|Test|TestMethod|Theory)[^\]]*\][^{};]*?\b|\b(?=test|Test|\w+_test\b)|\bfunction\s+(?=test))(\w+)\s*\([^(){};]*\)[^{};()]*\{/g;
  for (const match of blank.matchAll(named)) {
    const open = match.index + match[0].length - 1;
    yield { name: match[1] ?? "", body: code.slice(open, findClosing(blank, open, "{", "}")) };
  }
}

function findClosing(text: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === open) depth++;
    else if (text[at] === close && --depth === 0) return at + 1;
  }
  return text.length;
}

const ASSERTION =
  /\b\w*(?:assert|expect|should|verify|ensure|refute|raises|throws|rejects|fail|fatal|panic|unreachable|equal|match|snapshot|check|require_|REQUIRE)\w*|\bt\.\w+\s*\(|\b(?:raise|throw)\b|\bexit\s*\(?\s*[1-9]|\breturn\s+-?[1-9]\b|!==|===|==|!=/gi;

/** Assertions that hold of anything. */
const TRIVIAL: readonly RegExp[] = [
  /\bassert\w*(?:\.\w+)?!?\s*\(?\s*(?:true|1|not\s+false|!false|not\s+none)\s*(?:,[^)\n]*)?\)?(?=\s*(?:[;\n,})]|$))/gi,
  /\bexpect\s*\(\s*(true|false|\d+|"[^"]*"|'[^']*'|null|undefined)\s*\)\s*\.(?:to\w*|not)(?:\.\w+)*\s*\(\s*\1?\s*\)/g,
  /\b\w*(?:assert|equal|same)\w*(?:\.\w+)?!?\s*\(\s*(?:t\s*,\s*)?([\w."']+)\s*,\s*\1\s*[,)]/gi,
  /\bassert!?\s*\(?\s*([\w."']+)\s*===?\s*\1\s*\)?(?=\s*(?:[;\n,})]|$))/g,
  /\bt\.(?:pass|log|plan|end|diagnostic|Log|Logf|Parallel|Helper|Run|test|context|name|Name)\s*\(/g,
];

function assertionsIn(body: string): number {
  let text = body;
  for (const trivial of TRIVIAL) text = text.replaceAll(trivial, " ");
  return [...text.matchAll(ASSERTION)].length;
}

/** A return or a condition that never holds stands before everything that asserts. */
function isCutShort(body: string, isIndented: boolean): boolean {
  if (/\bif\s*\(?\s*(?:false|0|!1|!true)\s*\)?\s*[:{]|\bif\s+(?:False|0|not True)\s*:|#if\s+0\b/.test(body))
    return true;
  const first = body.search(ASSERTION);
  const before = first === -1 ? body : body.slice(0, first);
  if (isIndented) {
    const indent = /\n([ \t]+)\S/.exec(body)?.[1] ?? "";
    return new RegExp(`(?:^|\\n)${indent}return\\b(?!\\s*\\w)`).test(before);
  }
  let depth = 0;
  for (const [sign] of before.matchAll(/[{}]|\breturn\s*(?:;|\n|$|(?:true|null|undefined|0)\b)|\breturn\b/g)) {
    if (sign === "{") depth++;
    else if (sign === "}") depth--;
    else if (depth <= 1 && !/^return$/.test(sign)) return true;
  }
  return false;
}
