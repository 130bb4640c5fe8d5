import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokenize } from "../../src/mind/scope/commands/shell-words.js";

/*
 * The shell reader beside a real shell: what `sh` makes of quotes and backslashes is what the reader says a word is. Lines are drawn
 * from pieces that hold no substitution, and every operator in them is quoted, so that the shell only ever prints.
 */

const PLAIN = fc.stringMatching(/^[A-Za-z0-9_.,:/@%+=-]{1,6}$/);
const inSingle = fc.stringMatching(/^[ A-Za-z0-9"\\;|&<>()*?~#${}\n\t-]{0,8}$/).map((text) => `'${text}'`);
const inDouble = fc
  .array(
    fc.oneof(
      fc.stringMatching(/^[ A-Za-z0-9';|&<>()*?~#{}\t-]{1,4}$/),
      fc.constantFrom('\\"', "\\\\", "\\$", "\\`", "\\a"),
    ),
    {
      maxLength: 4,
    },
  )
  .map((parts) => `"${parts.join("")}"`);
const escaped = fc.constantFrom(
  "\\ ",
  "\\'",
  '\\"',
  "\\\\",
  "\\;",
  "\\|",
  "\\&",
  "\\<",
  "\\(",
  "\\*",
  "\\$",
  "\\`",
  "\\#",
  "\\a",
);
const word = fc
  .array(fc.oneof(PLAIN, inSingle, inDouble, escaped), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""));
const line = fc
  .array(word, { minLength: 1, maxLength: 5 })
  .chain((words) => fc.constantFrom(" ", "  ", "\t").map((between) => words.join(between)));

const wordsOf = (source: string) => {
  const { tokens, problems } = tokenize(source);
  return {
    problems,
    words: tokens.flatMap((token) => (token.type === "word" ? [token.word.text] : [`(${token.type})`])),
  };
};

function wordsByShell(lines: readonly string[]): string[][] {
  const script = lines.map((each) => `printf '%s\\0' BEGIN ${each}\n`).join("");
  const { status, stdout } = spawnSync("/bin/sh", ["-f", "-s"], {
    input: script,
    encoding: "utf8",
    env: { LC_ALL: "C.UTF-8" },
  });
  expect(status).toBe(0);
  const found: string[][] = [];
  for (const each of stdout.split("\0").slice(0, -1)) {
    if (each === "BEGIN") found.push([]);
    else found.at(-1)?.push(each);
  }
  return found;
}

describe("the shell reader beside a shell", () => {
  it("reads the words that the shell reads", () => {
    const lines = fc.sample(line, {
      numRuns: 2000,
      ...(process.env["COORDINATOR_SEED"] === "random" ? {} : { seed: 20 }),
    });
    const shell = wordsByShell(lines);
    expect(shell).toHaveLength(lines.length);
    const differing = lines.flatMap((each, i) => {
      const { words, problems } = wordsOf(each);
      return problems.length === 0 && JSON.stringify(words) === JSON.stringify(shell[i])
        ? []
        : [{ each, words, shell: shell[i], problems }];
    });
    expect(differing.slice(0, 3)).toEqual([]);
  });

  it("would see a reader that drops a backslash", () => {
    expect(wordsByShell(['"a\\b"'])).toEqual([["a\\b"]]);
    expect(wordsOf('"a\\b"').words).toEqual(["a\\b"]);
  });
});
