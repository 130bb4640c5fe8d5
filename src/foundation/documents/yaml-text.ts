import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  CST,
  type Document,
  type ParsedNode,
} from "yaml";
import { documentPath, type Diagnostic } from "../../model/diagnostic.js";
import { DEFAULT_MAX_DEPTH, isLonger, tooDeep, tooLarge } from "./json-text.js";
import { hasLoneSurrogate, positionAt, type PathSegments, type Position } from "./position.js";

/** One document of a YAML stream: its value, and where each part of it stands. */
export interface YamlDocument {
  readonly value: unknown;
  /** Where the value at `path` begins; when nothing is there, where its nearest ancestor begins. */
  readonly locate: (path: PathSegments) => Position;
  /** Where the key of the value at `path` stands; of an array item, the item itself. */
  readonly locateKey: (path: PathSegments) => Position;
  /** Where the first character of the string at `path` stands, past a quote or the header of a block. */
  readonly locateText: (path: PathSegments) => Position;
}

export type YamlResult =
  | { readonly ok: true; readonly documents: readonly YamlDocument[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export const YAML_MAX_BYTES = 4 * 1024 * 1024;
const MOST_ALIASES = 100;
const MOST_PROBLEMS = 50;

const { DOCUMENT: DOCUMENT_MARK, FLOW_END: FLOW_ERROR_MARK, SCALAR: SCALAR_MARK } = CST;

const OPTIONS = {
  version: "1.2",
  schema: "core",
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  // Checked by `problemsOf` instead: the library's own check takes quadratic time.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "silent",
} as const;

type ParsedDocument = Document.Parsed;

/**
 * Read a stream of YAML 1.2 documents with the core schema: no custom tags, no merge keys, no duplicate keys.
 * Documents without content are left out.
 *
 * Contract: pure and never throws; every problem has a line and a column.
 */
export function parseYaml(text: string, file: string): YamlResult {
  const refuse = (diagnostics: readonly Diagnostic[]): YamlResult => ({
    ok: false,
    diagnostics: diagnostics.slice(0, MOST_PROBLEMS).map((diagnostic) => ({ ...diagnostic, file })),
  });
  if (isLonger(text, YAML_MAX_BYTES)) return refuse([tooLarge(YAML_MAX_BYTES)]);
  const nul = text.indexOf("\0");
  if (nul >= 0)
    return refuse([{ code: "DOCUMENT_NUL", path: "", message: "contains a NUL byte", ...positionAt(text, nul) }]);

  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return line === 0 ? { line: 1, column: offset + 1 } : { line, column: col };
  };
  const bracket = findTooManyBrackets(text);
  if (bracket >= 0) return refuse([tooDeep(DEFAULT_MAX_DEPTH, positionAt(text, bracket))]);
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const deep = findTooDeep(tokens);
  if (deep >= 0) return refuse([tooDeep(DEFAULT_MAX_DEPTH, at(deep))]);

  const diagnostics: Diagnostic[] = [];
  const documents: YamlDocument[] = [];
  for (const document of new Composer(OPTIONS).compose(tokens)) {
    const found = problemsOf(document, at);
    diagnostics.push(...found);
    if (found.length > 0 || document.contents === null) continue;
    try {
      const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
      if (value !== null) documents.push(yamlDocument(value, document, text, at));
    } catch (error) {
      // The library throws for exactly one thing that is left: an alias that expands to too much.
      diagnostics.push({
        code: "DOCUMENT_ALIASES",
        path: "",
        message: error instanceof Error ? error.message : String(error),
        ...at(document.contents.range[0]),
        fix: "Write the repeated parts out instead of using aliases.",
      });
    }
  }
  return diagnostics.length > 0 ? refuse(diagnostics) : { ok: true, documents };
}

/** Where open brackets first exceed the limit, or -1: the cheap part of the check, before millions of them are parsed. */
function findTooManyBrackets(text: string): number {
  if (!hasMore(text, /[[{]/g, DEFAULT_MAX_DEPTH)) return -1;
  let depth = 0;
  let offset = 0;
  let inScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    // The lexer marks documents, flow errors and scalars with lexemes that are not in the text.
    if (lexeme === DOCUMENT_MARK || lexeme === FLOW_ERROR_MARK) continue;
    if (lexeme === SCALAR_MARK && !inScalar) {
      inScalar = true;
      continue;
    }
    if (!inScalar && (lexeme === "[" || lexeme === "{")) depth++;
    if (!inScalar && (lexeme === "]" || lexeme === "}")) depth = Math.max(0, depth - 1);
    if (depth > DEFAULT_MAX_DEPTH) return offset;
    inScalar = false;
    offset += lexeme.length;
  }
  return -1;
}

function hasMore(text: string, sign: RegExp, most: number): boolean {
  let left = most;
  for (const _ of text.matchAll(sign)) if (left-- === 0) return true;
  return false;
}

/** The offset where the nesting first exceeds the limit, or -1. Looked for before composing, which recurses. */
function findTooDeep(tokens: readonly CST.Token[]): number {
  const open: { token: CST.Token; depth: number }[] = [];
  for (const token of tokens) if (token.type === "document" && token.value) open.push({ token: token.value, depth: 1 });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (!("items" in token)) continue;
    if (depth > DEFAULT_MAX_DEPTH) return token.offset;
    for (const item of token.items) {
      if (item.key) open.push({ token: item.key, depth: depth + 1 });
      if (item.value) open.push({ token: item.value, depth: depth + 1 });
    }
  }
  return -1;
}

function problemsOf(document: ParsedDocument, at: (offset: number) => Position): Diagnostic[] {
  // A warning of the library is a tag or a directive it does not know: its meaning would be a guess.
  const byOffset = new Map([...document.warnings, ...document.errors].reverse().map((error) => [error.pos[0], error]));
  const found: Diagnostic[] = [...byOffset.values()].reverse().map((error) => ({
    code: "DOCUMENT_SYNTAX",
    path: "",
    message: `is not valid YAML: ${error.message}`,
    ...at(error.pos[0]),
  }));
  if (found.length > 0 || document.contents === null) return found;

  const anchors = new Map<string, ParsedNode>();
  let aliases = 0;
  const report = (code: string, node: ParsedNode, path: PathSegments, message: string, fix: string) =>
    found.push({ code, path: documentPath(path), message, ...at(node.range[0]), fix });

  const walk = (node: ParsedNode, path: PathSegments): void => {
    if (isAlias(node)) {
      aliases++;
      const source = anchors.get(node.source);
      if (source === undefined)
        report(
          "DOCUMENT_ALIASES",
          node,
          path,
          `the anchor &${node.source} is not set before this alias`,
          "Set it first.",
        );
      else if (node.range[0] < source.range[1])
        report(
          "DOCUMENT_ALIASES",
          node,
          path,
          `the alias *${node.source} stands inside its own anchor`,
          "Write it out.",
        );
      else if (aliases === MOST_ALIASES + 1)
        report("DOCUMENT_ALIASES", node, path, `there are more than ${MOST_ALIASES} aliases`, "Write them out.");
      return;
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isScalar(node)) {
      if (typeof node.value !== "string") return;
      if (node.value.includes("\0"))
        report("DOCUMENT_NUL", node, path, "contains a NUL character", "Remove the NUL character.");
      if (hasLoneSurrogate(node.value))
        report("DOCUMENT_SURROGATE", node, path, "contains half of a surrogate pair", "Write the whole character.");
      return;
    }
    if (isSeq(node)) {
      node.items.forEach((item, index) => walk(item, [...path, index]));
      return;
    }
    const seen = new Map<string, ParsedNode>();
    for (const { key, value } of node.items) {
      const name = keyText(key);
      const inside = [...path, name];
      walk(key, inside);
      const earlier = seen.get(name);
      if (earlier) {
        const first = at(earlier.range[0]);
        const message = `the key ${JSON.stringify(name)} appears twice in one object, first at line ${first.line}, column ${first.column}`;
        report("DOCUMENT_DUPLICATE_KEY", key, inside, message, "Keep one of the two.");
      }
      seen.set(name, key);
      if (name === "__proto__")
        report("DOCUMENT_FORBIDDEN_KEY", key, inside, "__proto__ may not be a key", "Rename the key.");
      if (value !== null) walk(value, inside);
    }
  };
  walk(document.contents, []);
  return found;
}

/** With `stringKeys` every key is a scalar that holds a string. */
function keyText(key: ParsedNode): string {
  return isScalar(key) ? String(key.value) : "";
}

function yamlDocument(
  value: unknown,
  document: ParsedDocument,
  text: string,
  at: (offset: number) => Position,
): YamlDocument {
  const find = (path: PathSegments): { key: ParsedNode; value: ParsedNode } => {
    let found = { key: document.contents as ParsedNode, value: document.contents as ParsedNode };
    for (const segment of path) {
      const { value: node } = found;
      if (isMap<ParsedNode, ParsedNode | null>(node)) {
        const pair = node.items.find(({ key }) => keyText(key) === String(segment));
        if (pair === undefined) break;
        found = { key: pair.key, value: pair.value ?? pair.key };
      } else if (isSeq<ParsedNode>(node) && typeof segment === "number") {
        const item = node.items[segment];
        if (item === undefined) break;
        found = { key: item, value: item };
      } else break;
    }
    return found;
  };
  return {
    value,
    locate: (path) => at(find(path).value.range[0]),
    locateKey: (path) => at(find(path).key.range[0]),
    locateText: (path) => {
      const { value: node } = find(path);
      const start = node.range[0];
      if (!isScalar(node)) return at(start);
      if (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE") return at(start + 1);
      if (node.type !== "BLOCK_FOLDED" && node.type !== "BLOCK_LITERAL") return at(start);
      const content = /[^\n]*\n(?:[ \t\r]*\n)* */y;
      content.lastIndex = start;
      return at(start + (content.exec(text)?.[0].length ?? 0));
    },
  };
}
