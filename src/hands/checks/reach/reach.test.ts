import { describe, expect, it } from "vitest";
import type { CheckResult } from "../../../model/settings/check.js";
import { readCoverage } from "./coverage.js";
import { findUnreached } from "./reach.js";

const result = (difference: Partial<CheckResult> = {}): CheckResult => ({
  check: "test",
  kind: "test",
  command: "npm test",
  tree: "t",
  exit_code: 0,
  ended: "exited",
  format: "exit_code",
  findings: [],
  output: "",
  output_sha256: "",
  ...difference,
});

function untouched(
  files: Readonly<Record<string, string>>,
  changed: readonly string[],
  results: readonly CheckResult[] = [result()],
): string[] {
  return findUnreached({ changed, paths: Object.keys(files), text: (path) => files[path] ?? null, results });
}

describe("what no check touches", () => {
  const JS = {
    "package.json": '{ "name": "desk" }',
    "src/used.ts": 'export * from "./deep.js";',
    "src/deep.ts": "export const a = 1;",
    "src/lonely.ts": "export const b = 1;",
    "test/used.test.ts": 'import { a } from "../src/used.js";\nimport { it } from "vitest";\n',
  };

  it("is, in JavaScript, what no test imports, directly or not", () => {
    expect(untouched(JS, ["src/used.ts", "src/deep.ts", "src/lonely.ts", "test/used.test.ts"])).toEqual([
      "src/lonely.ts",
    ]);
  });

  it("is not known where a test may load more than it names, and where everything is compiled", () => {
    for (const hides of ["await import(name)", 'import { desk } from "desk";', 'import { x } from "@/x";', "spawn(x)"])
      expect(untouched({ ...JS, "test/more.test.ts": hides }, ["src/lonely.ts"]), hides).toEqual([]);
    expect(untouched(JS, ["src/lonely.ts"], [result(), result({ check: "types", kind: "types" })])).toEqual([]);
    expect(untouched(JS, ["src/lonely.ts"], [result({ exit_code: 1 })])).toEqual([]);
  });

  it("is, in Python, what no test imports", () => {
    const files = {
      "src/pkg/__init__.py": "from .core import run\n",
      "src/pkg/core.py": "from . import helper\n",
      "src/pkg/helper.py": "",
      "src/pkg/lonely.py": "",
      "tests/test_core.py": "import pytest\nfrom pkg import run\n",
    };
    const all = ["src/pkg/core.py", "src/pkg/helper.py", "src/pkg/lonely.py"];
    expect(untouched(files, all)).toEqual(["src/pkg/lonely.py"]);
    expect(untouched({ ...files, "tests/test_run.py": "import subprocess\n" }, all)).toEqual([]);
  });

  it("is, in C, what a build that names what it compiles does not compile", () => {
    const files = {
      "json.c": '#include "json.h"\n',
      "json.h": "",
      "utils.c": '#include "utils.h"\n',
      "utils.h": "",
      "test.c": '#include "json.h"\n',
    };
    const output = "gcc -Wall -c json.c -o json.o\ngcc -o test test.c json.o\n./test\nok\n";
    const changed = ["json.c", "json.h", "utils.c", "utils.h"];
    expect(untouched(files, changed, [result({ output })])).toEqual(["utils.c", "utils.h"]);
    const cmake = "[ 50%] Building C object CMakeFiles/json.dir/json.c.o\n";
    expect(untouched(files, changed, [result({ output: cmake })])).toEqual(["utils.c", "utils.h"]);
    expect(untouched(files, changed, [result({ output: "ok\n" })]), "nothing says what was compiled").toEqual([]);
    expect(untouched(files, changed, [result({ output: output + "x".repeat(8000) })]), "it is cut").toEqual([]);
  });

  it("is what coverage says that no line of ran, whatever imports it", () => {
    const coverage = [
      { file: "src/used.ts", hit: false },
      { file: "src/lonely.ts", hit: true },
    ];
    expect(untouched(JS, ["src/used.ts", "src/lonely.ts"], [result({ coverage })])).toEqual(["src/used.ts"]);
  });
});

describe("a report of coverage", () => {
  it.each([
    ["lcov", "TN:\nSF:src/a.js\nDA:1,0\nDA:2,3\nend_of_record\nSF:/ws/src/b.js\nDA:1,0\nend_of_record\n"],
    [
      "Cobertura",
      '<?xml version="1.0" ?>\n<coverage version="7"><classes><class name="a" filename="src/a.js"><lines><line number="1" hits="2"/></lines></class><class name="b" filename="src/b.js"><lines><line number="1" hits="0"/></lines></class></classes></coverage>',
    ],
    ["go", "mode: set\nex.org/m/src/a.js.go:1.2,3.4 2 1\nex.org/m/src/b.js.go:1.2,3.4 2 0\n"],
  ])("is read: %s", (_, text) => {
    const read = readCoverage(text) ?? [];
    const of = (name: string) => read.find(({ file }) => file === name || file === `${name}.go`)?.hit;
    expect([of("src/a.js"), of("src/b.js")]).toEqual([true, false]);
  });

  it("is nothing else", () => {
    expect(readCoverage("# Coverage\n")).toBeNull();
  });
});
