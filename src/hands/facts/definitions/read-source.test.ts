import { assert, constantFrom, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { readSource } from "./read-source.js";

describe("what a source file says", () => {
  it.each([
    [
      "a.ts",
      'import { x } from "./x.js";\nexport async function load() {}\nexport const limit = 3;\nexport class Store {\n  private async read(key: string): Promise<void> {\n    if (key) {\n    }\n  }\n}\ninterface Shape {}\n',
      ["load", "Store", "Shape", "limit", "read"],
      ["./x.js"],
    ],
    [
      "a.js",
      'const y = require("./y");\nRouter.prototype.use = function use() {};\nexports.json = function () {};\n',
      ["use", "json"],
      ["./y"],
    ],
    [
      "a.py",
      "from .types import Choice\nfrom . import core, utils\nimport os.path\nLIMIT: int = 3\nclass Group(Command):\n    async def invoke(self):\n        pass\n",
      ["invoke", "Group", "LIMIT"],
      [".types", ".", "from . import core, utils", "os.path"],
    ],
    [
      "a.go",
      'import "example.com/m/middleware"\ntype Mux struct {\n\tPattern string\n}\nfunc (m *Mux) Handle(p string) {}\nfunc New() *Mux {}\n',
      ["Handle", "New", "Mux", "Pattern"],
      ["example.com/m/middleware"],
    ],
    ["a.rs", "mod parse;\npub(crate) async fn read() {}\nenum Kind {}\n", ["parse", "read", "Kind"], ["parse"]],
    [
      "A.java",
      "import com.example.Reader;\npublic final class Alpha {\n  public static int nextInt(int x) {\n  }\n}\n",
      ["Alpha", "nextInt"],
      ["com.example.Reader"],
    ],
    [
      "a.c",
      '#include "a.h"\n#define LIMIT 3\nstatic int parse_value(item *x)\n{\n  return helper(x);\n}\nPUBLIC(void) a_free(item *x);\n',
      ["parse_value", "a_free", "LIMIT"],
      ["a.h"],
    ],
    ["a.rb", 'require "rake/task"\nmodule Rake\n  def self.load(x)\n  end\nend\n', ["load", "Rake"], ["rake/task"]],
  ])("of %s", (path, text, names, imports) => {
    expect(readSource(path, text)).toEqual({ names, imports });
  });

  it("is nothing for unknown files and for text that a program made", () => {
    expect(readSource("a.md", "class A {}")).toEqual({ names: [], imports: [] });
    expect(readSource("a.js", `function a(){}${"x".repeat(3000)}`)).toEqual({ names: [], imports: [] });
  });

  it("is found in any text, in time that grows with it", () => {
    const paths = constantFrom("a.ts", "a.py", "a.go", "a.rs", "a.java", "a.c", "a.rb", "a.php", "a.sh");
    assert(
      property(paths, string({ unit: "binary", maxLength: 300 }), (path, text) => {
        for (const name of readSource(path, text).names) expect(name).toMatch(/^[\w$]+$/);
      }),
    );
    const before = performance.now();
    for (const path of ["a.ts", "a.py", "a.go", "a.rs", "a.java", "a.c", "a.rb", "a.php", "a.sh"])
      for (const part of ["public static ", "a b ", "  a(", "export ", "a.a.", "pub ", "struct ", " \t"])
        readSource(path, `${part.repeat(100)}\n`.repeat(200));
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});
