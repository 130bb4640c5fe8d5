import type { Word } from "./shell-word.js";
import { type Token, tokenize } from "./shell-words.js";

/*
 * The simple commands of a shell line, in their order, with what joins them. Subshells and pipes keep their bounds,
 * because a `cd` inside one does not reach what comes after it.
 */

export interface Redirect {
  readonly operator: string;
  readonly target: Word;
  /** The text of a here-document. */
  readonly body: string | null;
}

export interface Assignment {
  readonly name: string;
  readonly value: string;
  readonly dynamic: boolean;
}

export interface ShellCommand {
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  /** The commands whose output flows into this one, nearest first. */
  readonly piped: readonly ShellCommand[];
}

type ShellStep =
  | { readonly type: "command"; readonly command: ShellCommand }
  | { readonly type: "join"; readonly operator: string }
  | { readonly type: "open" }
  | { readonly type: "close" };

export interface ShellLine {
  readonly steps: readonly ShellStep[];
  readonly problems: readonly string[];
}

const SKIPPED = new Set(["if", "then", "else", "elif", "fi", "while", "until", "do", "done", "{", "}", "!", "coproc"]);
const UNREAD: ReadonlyMap<string, string> = new Map([
  ["case", "a case is not read"],
  ["select", "a menu is not read"],
  ["function", "a function is not read"],
]);
const ASSIGNMENT = /^([A-Za-z_]\w*)(\[[^\]]*\])?\+?=/;

/** Contract: total. A line it cannot read in full comes back with problems beside the commands it did find. */
export function readShell(line: string): ShellLine {
  const { tokens, problems } = tokenize(line);
  const found = [...problems];
  const steps: ShellStep[] = [];
  let open = new CommandBuilder();
  let piped: readonly ShellCommand[] = [];
  let inFor = false;

  const end = (): void => {
    const command = open.done(piped);
    open = new CommandBuilder();
    inFor = false;
    if (command !== null) steps.push({ type: "command", command });
    piped = command === null ? piped : [command, ...piped];
  };

  for (const token of tokens) {
    if (token.type === "redirect") open.redirects.push(token);
    else if (token.type === "word") {
      const { word } = token;
      if (inFor) open.heard.push(...word.runs);
      else if (open.empty && word.plain && SKIPPED.has(word.text)) continue;
      else if (open.empty && word.plain && word.text === "for") inFor = true;
      else {
        const problem = open.empty && word.plain ? UNREAD.get(word.text) : undefined;
        if (problem !== undefined) found.push(problem);
        open.add(word);
      }
    } else {
      if (token.operator === "(" && !open.empty) found.push("a function, an array or an extended pattern is not read");
      end();
      const { operator } = token;
      if (operator !== "|" && operator !== "|&") piped = [];
      if (operator === "(") steps.push({ type: "open" });
      else if (operator === ")") steps.push({ type: "close" });
      else steps.push({ type: "join", operator });
    }
  }
  end();
  return { steps, problems: found };
}

class CommandBuilder {
  private readonly words: Word[] = [];
  private readonly assignments: Assignment[] = [];
  readonly redirects: Extract<Token, { type: "redirect" }>[] = [];
  /** Lines run by words that are not part of the command, such as the list of a `for`. */
  readonly heard: string[] = [];

  get empty(): boolean {
    return this.words.length === 0 && this.assignments.length === 0;
  }

  add(word: Word): void {
    // The name of an assignment cannot be quoted, its value can: `A="b c"` is one, `"A=b"` is a command.
    const match = this.words.length === 0 ? ASSIGNMENT.exec(word.bare) : null;
    if (match !== null) {
      const { dynamic, runs } = word;
      this.assignments.push({ name: match[1] as string, value: word.text.slice(match[0].length), dynamic });
      this.heard.push(...runs);
    } else this.words.push(word);
  }

  done(piped: readonly ShellCommand[]): ShellCommand | null {
    if (this.empty && this.redirects.length === 0 && this.heard.length === 0) return null;
    const heard = this.heard.map((run): Redirect => {
      const target = { text: "", dynamic: true, pattern: false, plain: false, bare: "", runs: [run] };
      return { operator: "runs", target, body: null };
    });
    const redirects = this.redirects.map(({ operator, target, body }) => ({ operator, target, body }));
    return { words: this.words, assignments: this.assignments, redirects: [...redirects, ...heard], piped };
  }
}
