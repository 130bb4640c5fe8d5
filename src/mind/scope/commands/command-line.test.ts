import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Scope, ToolUse } from "../../../model/scope.js";
import { builtInRegistryDirectory, loadRegistry } from "../../../hands/registry/load-registry.js";
import { readCommandLine } from "./command-line.js";
import { compileCommandPattern, literalPattern } from "./command-pattern.js";
import { compileGuardrails } from "../compile-guardrails.js";
import { compileScope } from "../judge.js";
import { tokenize } from "./shell-words.js";

const { guardrails } = await loadRegistry({ directories: [builtInRegistryDirectory()] });
const SCOPE: Scope = {
  tools: ["execute"],
  commands: ["npm test *", "ls *", "cat *", "rm *", "git status *", "node scripts/*"],
  read: ["**"],
  write: ["src/**"],
  network: [],
  minutes: 1,
  output_bytes: 1,
  files: 1,
};
const judge = compileScope(SCOPE, compileGuardrails(guardrails));
const decide = (command: string, stage: ToolUse["stage"] = "request") =>
  judge({ tool_call_id: "c", stage, kind: "execute", title: "", paths: [], command, hosts: [] }).decision;

const RANK = ["allow", "ask", "deny"];
const rank = (line: string) => RANK.indexOf(decide(line));

const GOOD = [
  "npm test",
  "npm test -- --run a",
  "ls -la src",
  "cat src/a.ts",
  "rm src/a.ts",
  "git status",
  "echo hi > src/x",
  "true",
];
const BAD = [
  "make all",
  "touch README.md",
  "rm README.md",
  "$X",
  "node -e 1",
  "curl http://evil.example",
  "rm -rf /",
  "git push -f",
  "cat ~/.ssh/id_rsa",
  "echo x > .git/config",
];
const HIDE: readonly ((bad: string, good: string) => string)[] = [
  (bad, good) => `${good}; ${bad}`,
  (bad, good) => `${bad}; ${good}`,
  (bad, good) => `${good} && ${bad}`,
  (bad, good) => `${bad} && ${good}`,
  (bad, good) => `${good} || ${bad}`,
  (bad, good) => `${good} | ${bad}`,
  (bad, good) => `${bad} | ${good}`,
  (bad, good) => `${good} & ${bad}`,
  (bad, good) => `${good}\n${bad}`,
  (bad, good) => `${good}\n\n#comment\n${bad} #end`,
  (bad, good) => `(${good}; ${bad})`,
  (bad, good) => `{ ${bad}; }; ${good}`,
  (bad) => `echo $(${bad})`,
  (bad) => `echo "a $(${bad}) b"`,
  (bad) => `echo "\${x:-$(${bad})}"`,
  (bad) => `cat <(${bad})`,
  (bad, good) => `if ${good}; then ${bad}; fi`,
  (bad, good) => `while ${bad}; do ${good}; done`,
  (bad) => `for x in a b; do ${bad}; done`,
  (bad) => `eval ${quote(bad)}`,
  (bad) => `bash -c ${quote(bad)}`,
  (bad) => `sh -ec ${quote(`true; ${bad}`)}`,
  (bad) => `env A=b bash -c ${quote(bad)}`,
  (bad) => `timeout 5 sh -c ${quote(bad)}`,
  (bad) => `sh <<'EOF'\n${bad}\nEOF`,
  (bad) => `bash <<< ${quote(bad)}`,
  (bad, good) => `${good} > src/log 2>&1; ${bad}`,
  (bad, good) => `A=$(${bad}) ${good}`,
  (bad) => `trap ${quote(bad)} EXIT`,
  (bad, good) => `${good} \\\n && ${bad}`,
];

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

describe("a forbidden part", () => {
  it("is found wherever it hides", () => {
    for (const bad of BAD)
      for (const good of GOOD.slice(0, 2))
        for (const hide of HIDE) {
          const line = hide(bad, good);
          expect([line, decide(line)]).not.toEqual([line, "allow"]);
          expect([line, decide(line, "deed")]).not.toEqual([line, "allow"]);
        }
  });

  it("never makes a line pass that did not, nor a denied one be asked for, at any depth", () => {
    const bad = fc.constantFrom(...BAD);
    const good = fc.constantFrom(...GOOD);
    const hides = fc.array(fc.tuple(fc.constantFrom(...HIDE), good), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(bad, hides, (part, layers) => {
        let line = part;
        for (const [hide, beside] of layers) line = hide(line, beside);
        expect(rank(line)).toBeGreaterThan(0);
      }),
      { numRuns: Number(process.env["SCOPE_RUNS"] ?? 300) },
    );
  });

  it("added to any line never makes it better", () => {
    const noise = fc.string({ unit: fc.constantFrom(..."ab '\"\\$(){}|&;<>`\n#*~=-/.".split("")), maxLength: 20 });
    const line = fc.oneof(fc.constantFrom(...GOOD, ...BAD), noise);
    fc.assert(
      fc.property(line, fc.constantFrom(...BAD), fc.constantFrom("; ", " && ", "\n", " | ", " || "), (one, bad, by) => {
        expect(rank(`${bad}${by}${one}`)).toBeGreaterThan(0);
      }),
      { numRuns: 600 },
    );
  });
});

/** The same word in other clothes. */
const dressed = (word: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    word,
    `'${word}'`,
    `"${word}"`,
    `${word.slice(0, 1)}''${word.slice(1)}`,
    `${word.slice(0, 1)}""${word.slice(1)}`,
    `'${word.slice(0, 1)}'${word.slice(1)}`,
    `"${word.slice(0, 1)}"${word.slice(1)}`,
    `\\${word}`,
    `${word.slice(0, 1)}\\\n${word.slice(1)}`,
    `$'${word
      .split("")
      .map((char) => `\\x${char.codePointAt(0)?.toString(16)}`)
      .join("")}'`,
  );

describe("quotes and blanks", () => {
  it("change nothing about a judgement", () => {
    const lines = [
      "npm test --run",
      "rm -rf /",
      "rm README.md",
      "rm src/a.ts",
      "cat .env",
      "make all",
      "git push --force",
      "ls -la",
    ];
    const line = fc.constantFrom(...lines);
    const blanks = fc.constantFrom(" ", "  ", "\t", " \\\n ");
    fc.assert(
      fc.property(
        line.chain((text) =>
          fc.tuple(
            fc.constant(text),
            fc.tuple(...text.split(" ").map(dressed)),
            fc.array(blanks, { minLength: 4, maxLength: 4 }),
          ),
        ),
        ([text, words, gaps]) => {
          const other = words.reduce((sofar, word, at) => (at === 0 ? word : sofar + gaps[at % 4] + word), "");
          for (const stage of ["request", "deed"] as const)
            expect([other, decide(other, stage)]).toEqual([other, decide(text, stage)]);
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe("words", () => {
  it("are the ones a real shell gives to a program", () => {
    const piece = fc.oneof(
      fc
        .constantFrom("a", "b c", "$x", "", "#", "\\", "-", "~", "=", ";", "&", "|", "<", ">", "(", ")", "*", "é")
        .map(quote),
      fc.constantFrom('"a b"', '"\\$x"', '"\\\\"', '"\\a"', '"\'"', '";|&"', '"#"'),
      fc.constantFrom("\\a", "\\;", "\\'", '\\"', "\\ ", "\\\\", "\\$", "\\#", "\\\n"),
      fc.constantFrom("a", "b1", "x=y", "-z", "a#b", "%"),
    );
    const word = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
    const lines = fc.sample(fc.array(word, { minLength: 1, maxLength: 4 }), { numRuns: 300, seed: 7 });
    const script = lines.map((words) => `printf '[%s]\\n' x ${words.join(" ")}; printf '\\001'`).join("\n");
    const printed = execFileSync("sh", ["-c", script], { encoding: "utf8", env: {} }).split("\u0001");
    for (const [at, words] of lines.entries()) {
      const { tokens, problems } = tokenize(`x ${words.join(" ")}`);
      expect(problems).toEqual([]);
      const read = tokens.map((token) => (token.type === "word" ? token.word.text : "?"));
      expect(read.map((text) => `[${text}]\n`).join(""), words.join(" ")).toBe(printed[at]);
    }
  });
});

describe("readCommandLine", () => {
  it("never throws, and reads a line of noise in time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (noise) => {
        const { commands, undecidable } = readCommandLine(noise);
        expect(commands.length + undecidable.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
    for (const bomb of [
      "$(".repeat(20_000),
      "`".repeat(30_001),
      "((".repeat(20_000),
      "<<E ".repeat(10_000),
      '"$('.repeat(8000),
      "bash -c ".repeat(5000),
    ])
      expect(readCommandLine(bomb).undecidable.length).toBeGreaterThan(0);
    expect(readCommandLine("a ".repeat(30_000)).commands).toHaveLength(1);
    expect(readCommandLine("x".repeat(70_000)).undecidable).toEqual(["the line is too long to be read"]);
  });

  it("knows the paths and hosts of a line", () => {
    const { paths, hosts, undecidable } = readCommandLine(
      "cd lib && cp ../a.ts b.ts && curl -o out.json https://user:pw@API.example.com:8443/x?y",
    );
    expect(paths).toEqual([
      { path: "lib/../a.ts", access: "read", pattern: false },
      { path: "lib/b.ts", access: "write", pattern: false },
      { path: "lib/out.json", access: "write", pattern: false },
    ]);
    expect(hosts).toEqual(["api.example.com"]);
    expect(undecidable).toEqual([]);
  });
});

describe("patterns of commands", () => {
  it.each([
    ["npm test", "npm test", true],
    ["npm test", "npm test x", false],
    ["npm test *", "npm test x y", true],
    ["npm test *", "npm test", true],
    ["npm test *", "npm tests", false],
    ["npm test*", "npm tests", true],
    ["git * --stat", "git diff --stat", true],
    ["git * --stat", "git diff; rm x --stat", false],
    ["npm *", "npm $(x)", false],
    ["npm *", "npm a > b", false],
    ["rm \\*", "rm *", true],
    ["rm \\*", "rm x", false],
    ["*", "anything at all", true],
    ["*", "a; b", false],
  ])("%j on %j: %s", (pattern, text, expected) => {
    expect(compileCommandPattern(pattern).matches(text)).toBe(expected);
  });

  it("can stand for one text and no other", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, other) => {
        const { matches, literal } = compileCommandPattern(literalPattern(text));
        expect([matches(text), literal, matches(other)]).toEqual([true, text, text === other]);
      }),
    );
  });
});
