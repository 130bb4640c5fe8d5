import { describe, expect, it } from "vitest";
import { readPrinted, readReport } from "./read-report.js";

const told = (text: string) => {
  const { format, findings } = readReport(text, "auto", "lint");
  return [format, ...findings.map(({ name, line }) => `${name} ${line ?? "-"}`)];
};
const ids = (text: string) => readReport(text, "auto", "lint").findings.map(({ id }) => id);
const printed = (value: unknown) => JSON.stringify(value, null, 2);

/** Output of each program for people, and the findings to be read from it. */
const FOR_PEOPLE: Readonly<Record<string, readonly [text: string, found: readonly string[]]>> = {
  "ruff, long": [
    "F401 [*] `os` imported but unused\n --> pkg/a.py:1:8\n  |\n1 | import os\n  |        ^^\n  |\nhelp: Remove unused import: `os`\n\ninvalid-syntax: Expected `)`\n --> b.py:2:1\n  |\n\nFound 2 errors.\n[*] 1 fixable with the `--fix` option.\n",
    ["pkg/a.py F401 1", "b.py invalid-syntax 2"],
  ],
  "ruff, concise, and flake8": [
    "a.py:1:8: F401 [*] `os` imported but unused\nsrc/a b.py:3:1: E501 Line too long (99 > 88)\nFound 2 errors.\n",
    ["a.py F401 1", "src/a b.py E501 3"],
  ],
  mypy: [
    'a.py:3: error: Incompatible types in assignment (expression has type "str", variable has type "int")  [assignment]\na.py:4:5: note: Revealed type is "int"\nFound 1 error in 1 file (checked 2 source files)\n',
    ["a.py assignment 3"],
  ],
  pyright: [
    '/ws/a.py\n  /ws/a.py:3:10 - error: Type "str" is not assignable to declared type "int"\n    "str" is not assignable to "int" (reportAssignmentType)\n  /ws/a.py:5:1 - warning: Import "x" could not be resolved (reportMissingModuleSource)\n1 error, 1 warning, 0 informations\n',
    ["a.py reportAssignmentType 3"],
  ],
  "go vet and go build": [
    '# example.com/m/p\np/a.go:6:2: fmt.Printf format %d has arg "x" of wrong type string\nvet: ./b.go:5:2: undefined: x (maybe y)\n# example.com/m/q [example.com/m/q.test]\n./q/c.go:1:1: not enough arguments in call to f\n\thave ()\n\twant (int)\n',
    ["p/a.go go 6", "b.go go 5", "q/c.go go 1"],
  ],
  "golangci-lint": [
    "a.go:5:9: Error return value of `f` is not checked (errcheck)\n\tf()\n\t ^\n1 issues:\n* errcheck: 1\n",
    ["a.go errcheck 5"],
  ],
  shellcheck: [
    "\nIn bin/a.sh line 3:\necho $1\n     ^-- SC2086 (info): Double quote to prevent globbing and word splitting.\n     ^-^ SC2250 (style): Prefer putting braces.\n\nDid you mean:\n",
    ["bin/a.sh SC2086 3", "bin/a.sh SC2250 3"],
  ],
  "shellcheck -f gcc": ["a.sh:3:6: note: Double quote to prevent globbing. [SC2086]\n", ["a.sh SC2086 3"]],
  rubocop: [
    "Inspecting 1 file\nC\n\nOffenses:\n\na.rb:1:1: C: [Correctable] Style/FrozenStringLiteralComment: Missing frozen string literal comment.\nputs 1\n^\na.rb:2:1: W: [Corrected] Lint/UselessAssignment: Useless.\n\n1 file inspected, 1 offense detected, 1 offense autocorrectable\n",
    ["a.rb Style/FrozenStringLiteralComment 1"],
  ],
  "gcc and javac": [
    "a.c: In function 'main':\na.c:3:5: warning: unused variable 'x' [-Wunused-variable]\na.c:4:5: error: 'y' undeclared [-Werror=foo]\nA.java:5: error: ';' expected\n",
    ["a.c -Werror=foo 4", "A.java error 5"],
  ],
  "dotnet and Maven": [
    "/ws/A.cs(3,5): error CS1002: ; expected [/ws/a.csproj]\n[ERROR] /ws/src/B.java:[7,2] cannot find symbol\n",
    ["A.cs CS1002 3", "src/B.java error 7"],
  ],
};

describe("what linters print for people", () => {
  it.each(Object.entries(FOR_PEOPLE))("%s", (_, [text, found]) => {
    expect(told(text)).toEqual(["lint", ...found]);
    expect(told(text.replaceAll("\n", "\r\n"))).toEqual(["lint", ...found]);
    expect(told(text.replaceAll(/error|warning/g, "\u001B[1;31m$&\u001B[0m"))).toEqual(["lint", ...found]);
    // Written further down, it is the same message.
    const moved = text.replaceAll(/(?<=[\w.]:|line |:\[|\()\d+(?=[:,])/g, (n) => String(Number(n) + 70));
    expect(moved).not.toBe(text);
    expect(ids(moved)).toEqual(ids(text));
  });

  it("is read of several programs in one output, and of a compiler among them", () => {
    const all = Object.values(FOR_PEOPLE);
    const text = all.map(([each]) => each).join("\n");
    expect(told(text).slice(1).sort()).toEqual(all.flatMap(([, found]) => found).sort());
    const [ruff] = FOR_PEOPLE["ruff, long"] as [string, string[]];
    expect(told(`src/a.ts(3,5): error TS2304: Cannot find name 'x'.\n${ruff}`)).toEqual([
      "tsc",
      "src/a.ts TS2304 3",
      "pkg/a.py F401 1",
      "b.py invalid-syntax 2",
    ]);
  });

  it("counts what was counted and could not be read, one by one", () => {
    const text = "a.py:1:8: F401 [*] `os` imported but unused\nnobody reads this\nFound 3 errors.\n";
    expect(told(text)).toEqual(["lint", "a.py F401 1", " ruff -", " ruff -"]);
  });

  it("gives a message the same id when the line it speaks of moved", () => {
    const at = (line: number) => ids(`a.py:${line + 3}: error: Name "f" already defined on line ${line}  [no-redef]\n`);
    expect(at(3)).toEqual(at(40));
    expect(at(3)).toHaveLength(1);
  });

  it("is not looked for in what tests print, nor in logs", () => {
    const text = "a.py:3: error: said by a test\n";
    expect(readReport(text, "auto", "test").format).toBe("exit_code");
    expect(readReport(text, "lint", "test").format).toBe("lint");
    for (const log of ["main.go:12: listening\n", "at f (a.js:1:2)\n", "All checks passed!\n", "12:30:01: error: x\n"])
      expect(told(log)).toEqual(["exit_code"]);
  });
});

describe("what linters write for programs", () => {
  const place = { Filename: "a.go", Line: 5, Column: 1 };
  const comment = { file: "a.sh", line: 3, endLine: 3, level: "info", code: 2086, message: "Double quote" };
  const documents: Readonly<Record<string, readonly [value: unknown, found: readonly string[]]>> = {
    ruff: [
      [
        { code: "F401", filename: "/ws/a.py", location: { column: 8, row: 1 }, message: "`os` imported", fix: null },
        { code: null, filename: "/ws/b.py", location: { column: 1, row: 2 }, message: "SyntaxError: no" },
      ],
      ["a.py F401 1", "b.py invalid-syntax 2"],
    ],
    shellcheck: [[comment], ["a.sh SC2086 3"]],
    "shellcheck json1": [{ comments: [comment] }, ["a.sh SC2086 3"]],
    pyright: [
      {
        version: "1.1.400",
        generalDiagnostics: [
          { file: "/ws/a.py", severity: "error", message: "no", rule: "reportX", range: { start: { line: 2 } } },
          { file: "/ws/a.py", severity: "warning", message: "hm", range: { start: { line: 2 } } },
        ],
      },
      ["a.py reportX 3"],
    ],
    golangci: [
      { Issues: [{ FromLinter: "errcheck", Text: "not checked", Pos: place }], Report: {} },
      ["a.go errcheck 5"],
    ],
    rubocop: [
      {
        files: [
          {
            path: "a.rb",
            offenses: [
              { severity: "convention", message: "m", cop_name: "Style/X", corrected: false, location: { line: 4 } },
              { severity: "info", message: "m", cop_name: "Style/Y", corrected: false, location: { line: 4 } },
            ],
          },
        ],
        summary: { offense_count: 2 },
      },
      ["a.rb Style/X 4"],
    ],
  };

  it.each(Object.entries(documents))("%s", (_, [value, found]) => {
    expect(told(printed(value))).toEqual(["lint", ...found]);
    expect(told(`[info] start\n${JSON.stringify(value)}\n[done]`)).toEqual(["lint", ...found]);
    expect(told(`${printed(value)}\n${printed(value).slice(0, -3)}`)).toHaveLength(found.length + 2);
    const all = printed(value).replace("\n", "\nwarning: old settings\n");
    const message = "b.py:1: error: other  [misc]\n";
    const read = readPrinted({ stdout: printed(value), all: `${all}\n${message}` }, "auto", "lint");
    expect(read.findings.map(({ name }) => name)).toContain("b.py misc");
  });

  it("mypy, an object a line", () => {
    const line = (severity: string) =>
      JSON.stringify({ file: "a.py", line: 3, column: 1, message: "no", hint: null, code: "misc", severity });
    expect(told(`${line("error")}\n${line("note")}\n`)).toEqual(["lint", "a.py misc 3"]);
  });
});
