import { findClosing, unescapeAnsi, type Word, WordBuilder } from "./shell-word.js";

/*
 * The words of a POSIX shell line, read and never run. A word keeps what it says once its quotes are gone, and whether
 * the shell would put something into it that cannot be known here. A text that cannot be read at all is a problem, and a line
 * with a problem is never judged as if it had been understood.
 */

export type Token =
  | { readonly type: "word"; readonly word: Word }
  | { readonly type: "operator"; readonly operator: string }
  | { readonly type: "redirect"; readonly operator: string; readonly target: Word; readonly body: string | null };

export interface Tokens {
  readonly tokens: readonly Token[];
  readonly problems: readonly string[];
}

const OPERATORS = ["&&", "||", ";;", "|&", "&", "|", ";", "(", ")", "\n"];
const REDIRECTS = ["&>>", "<<<", "<<-", "&>", ">>", ">&", ">|", "<<", "<&", "<>", ">", "<"];
const BLANK = /[ \t]/;
const ENDS_WORD = /[ \t\n;&|<>()]/;

/** Contract: total, and linear in the length but for nested substitutions, whose text is read again by the caller. */
export function tokenize(source: string): Tokens {
  return new Reader(source).read();
}

interface HereDocument {
  readonly at: number;
  readonly delimiter: string;
  readonly expands: boolean;
  readonly stripTabs: boolean;
}

class Reader {
  private at = 0;
  private readonly tokens: Token[] = [];
  private readonly problems: string[] = [];
  private hereDocuments: HereDocument[] = [];

  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  read(): Tokens {
    while (this.at < this.source.length) this.readToken();
    if (this.hereDocuments.length > 0) this.problems.push("a here-document has no end");
    return { tokens: this.tokens, problems: this.problems };
  }

  private readToken(): void {
    const { source } = this;
    const char = source[this.at] as string;
    if (BLANK.test(char)) this.at += 1;
    else if (source.startsWith("\\\n", this.at)) this.at += 2;
    else if (char === "#") this.skipComment();
    else if (/^[<>]\(/.test(source.slice(this.at, this.at + 2))) this.pushWord(this.readWord());
    else if (this.startsRedirect()) this.readRedirect();
    else if (ENDS_WORD.test(char)) this.readOperator();
    else this.pushWord(this.readWord());
  }

  private skipComment(): void {
    const end = this.source.indexOf("\n", this.at);
    this.at = end === -1 ? this.source.length : end;
  }

  /** Digits before `<` or `>` are a descriptor only when nothing stands before them. */
  private startsRedirect(): boolean {
    return /^\d{0,9}(?:&>|[<>])/.test(this.source.slice(this.at, this.at + 12));
  }

  private pushWord(word: Word): void {
    this.tokens.push({ type: "word", word });
  }

  private readOperator(): void {
    const operator = OPERATORS.find((candidate) => this.source.startsWith(candidate, this.at)) as string;
    this.at += operator.length;
    this.tokens.push({ type: "operator", operator });
    if (operator === "\n") this.readHereDocuments();
  }

  private readRedirect(): void {
    while (/\d/.test(this.source[this.at] ?? "")) this.at += 1;
    const operator = REDIRECTS.find((candidate) => this.source.startsWith(candidate, this.at)) as string;
    this.at += operator.length;
    while (BLANK.test(this.source[this.at] ?? "")) this.at += 1;
    const target = this.readWord();
    if (target.text === "" && target.plain) this.problems.push("a redirection leads nowhere");
    this.tokens.push({ type: "redirect", operator, target, body: null });
    if (operator === "<<" || operator === "<<-")
      this.hereDocuments.push({
        at: this.tokens.length - 1,
        delimiter: target.text,
        expands: target.plain,
        stripTabs: operator === "<<-",
      });
  }

  private readHereDocuments(): void {
    for (const { at, delimiter, expands, stripTabs } of this.hereDocuments) {
      const lines: string[] = [];
      for (;;) {
        if (this.at >= this.source.length) {
          this.problems.push("a here-document has no end");
          break;
        }
        const end = this.source.indexOf("\n", this.at);
        const line = this.source.slice(this.at, end === -1 ? undefined : end);
        this.at = end === -1 ? this.source.length : end + 1;
        const bare = stripTabs ? line.replace(/^\t+/, "") : line;
        if (bare === delimiter) break;
        lines.push(bare);
      }
      const token = this.tokens[at] as Extract<Token, { type: "redirect" }>;
      const body = lines.join("\n");
      const expanded = expands ? readExpansions(body) : { runs: [], dynamic: false, problems: [] };
      this.problems.push(...expanded.problems);
      const target = { ...token.target, dynamic: expanded.dynamic, runs: expanded.runs };
      this.tokens[at] = { ...token, target, body };
    }
    this.hereDocuments = [];
  }

  private readWord(): Word {
    const word = new WordBuilder();
    const { source } = this;
    while (this.at < source.length) {
      const char = source[this.at] as string;
      if (/^[<>]\($/.test(source.slice(this.at, this.at + 2)) && word.empty) {
        this.at += 1;
        this.readParentheses(word, char);
      } else if (ENDS_WORD.test(char)) break;
      else if (char === "\\") this.readEscape(word);
      else if (char === "'") this.readSingleQuotes(word);
      else if (char === '"') this.readDoubleQuotes(word);
      else if (char === "`") this.readBackticks(word);
      else if (char === "$") this.readDollar(word, false);
      else {
        word.add(char);
        this.at += 1;
      }
    }
    return word.done();
  }

  private readEscape(word: WordBuilder): void {
    const next = this.source[this.at + 1];
    this.at += 2;
    if (next === "\n") return;
    if (next === undefined) this.problems.push("a backslash ends the line");
    else word.quote(next);
  }

  private readSingleQuotes(word: WordBuilder): void {
    const end = this.source.indexOf("'", this.at + 1);
    if (end === -1) this.problems.push("a quote is not closed");
    word.quote(this.source.slice(this.at + 1, end === -1 ? undefined : end));
    this.at = end === -1 ? this.source.length : end + 1;
  }

  private readDoubleQuotes(word: WordBuilder): void {
    word.quote("");
    this.at += 1;
    while (this.at < this.source.length) {
      const char = this.source[this.at] as string;
      if (char === '"') {
        this.at += 1;
        return;
      }
      if (char === "\\" && /[$`"\\\n]/.test(this.source[this.at + 1] ?? "")) this.readEscape(word);
      else if (char === "`") this.readBackticks(word);
      else if (char === "$") this.readDollar(word, true);
      else {
        word.quote(char);
        this.at += 1;
      }
    }
    this.problems.push("a quote is not closed");
  }

  private readBackticks(word: WordBuilder): void {
    let end = this.at + 1;
    while (end < this.source.length && this.source[end] !== "`") end += this.source[end] === "\\" ? 2 : 1;
    if (end >= this.source.length) this.problems.push("a backtick is not closed");
    const inner = this.source.slice(this.at + 1, end).replace(/\\([`\\$])/g, "$1");
    word.expand(this.source.slice(this.at, end + 1), [inner]);
    this.at = end + 1;
  }

  private readDollar(word: WordBuilder, inQuotes: boolean): void {
    const { source, at } = this;
    if (source.startsWith("$'", at) && !inQuotes) {
      this.readAnsiQuotes(word);
    } else if (source.startsWith('$"', at) && !inQuotes) {
      this.at += 1;
      this.readDoubleQuotes(word);
    } else if (source.startsWith("$(", at)) {
      const text = readQuotedDocument(source, at);
      if (text === null) {
        this.at += 1;
        this.readParentheses(word, "$");
      } else {
        word.quote(text.body);
        this.at = text.end;
      }
    } else if (source.startsWith("${", at)) {
      const end = findClosing(source, at + 1, "{", "}");
      if (end === -1) this.problems.push("a brace is not closed");
      const inner = readExpansions(source.slice(at + 2, end === -1 ? undefined : end));
      this.problems.push(...inner.problems);
      word.expand(source.slice(at, end === -1 ? undefined : end + 1), inner.runs);
      this.at = end === -1 ? source.length : end + 1;
    } else {
      const name = /^\$(?:[A-Za-z_]\w*|[\d@*#?$!-])/.exec(source.slice(at, at + 256))?.[0];
      if (name === undefined) word.add("$");
      else word.expand(name, []);
      this.at += (name ?? "$").length;
    }
  }

  /** At the opening parenthesis of `$( )`, `$(( ))`, `<( )` or `>( )`. */
  private readParentheses(word: WordBuilder, before: string): void {
    const { source, at } = this;
    const end = findClosing(source, at, "(", ")");
    if (end === -1) this.problems.push("a parenthesis is not closed");
    const inner = source.slice(at + 1, end === -1 ? undefined : end);
    if (before === "$" && isCalculation(inner)) {
      const calculated = readExpansions(inner);
      this.problems.push(...calculated.problems);
      word.expand(`$(${inner})`, calculated.runs);
    } else word.expand(`${before}(${inner})`, [inner]);
    this.at = end === -1 ? source.length : end + 1;
  }

  private readAnsiQuotes(word: WordBuilder): void {
    let end = this.at + 2;
    while (end < this.source.length && this.source[end] !== "'") end += this.source[end] === "\\" ? 2 : 1;
    if (end >= this.source.length) this.problems.push("a quote is not closed");
    word.quote(unescapeAnsi(this.source.slice(this.at + 2, end)));
    this.at = end + 1;
  }
}

/** `$((1 + x))`; but `$((a b; c))` is a subshell inside a substitution. */
function isCalculation(inner: string): boolean {
  if (!inner.startsWith("(") || !inner.endsWith(")")) return false;
  return /^[\s\w+*/%<>=!&|^~?:,()$-]*$/.test(inner) && !/[A-Za-z_]\w*\s+\w/.test(inner);
}

const WRITTEN_OUT = /\$\([ \t]*cat[ \t]*<<[ \t]*(['"]?)(\w+)\1[ \t]*\n([\s\S]*?)\n\2[ \t]*\n?[ \t]*\)/y;

/** `$(cat <<'EOF' … )` runs nothing that matters: it is a long text, which people and agents like to write so. */
function readQuotedDocument(source: string, at: number): { readonly body: string; readonly end: number } | null {
  WRITTEN_OUT.lastIndex = at;
  const match = WRITTEN_OUT.exec(source);
  if (match === null || (match[1] === "" && /[$`\\]/.test(match[3] as string))) return null;
  // The text ends where its delimiter stands alone for the first time.
  const body = match[3] as string;
  if (body.split("\n").includes(match[2] as string)) return null;
  return { body: body.replace(/\n+$/, ""), end: at + match[0].length };
}

/** Reads the commands inside a text that the shell expands like one in double quotes. */
function readExpansions(text: string): { runs: readonly string[]; dynamic: boolean; problems: readonly string[] } {
  if (!/[$`]/.test(text)) return { runs: [], dynamic: false, problems: [] };
  // Quotes mean nothing here but to what is inside a substitution, so they are escaped before the text is read.
  const { tokens, problems } = tokenize(`"${text.replaceAll('"', '\\"')}"`);
  const [token] = tokens;
  if (token?.type !== "word") return { runs: [], dynamic: true, problems };
  const runs = token.word.runs.map((run) => run.replaceAll('\\"', '"'));
  return { runs, dynamic: token.word.dynamic, problems };
}
