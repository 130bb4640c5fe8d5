import { describe, expect, it } from "vitest";
import { isSameCode, withoutComments } from "./source-code.js";

describe("source without its comments", () => {
  it.each([
    ["a.js", "a = 1;\n", "// one\na = 1; /* two */\n"],
    ["a.js", "f(a, b);", "f(\n  a,\n  b\n);"],
    ["a.ts", 'const u = "https://x"; // here', 'const u = "https://x";'],
    ["a.py", "def f():\n    return 1\n", 'def f():\n    """Give one."""\n\n    return 1  # one\n'],
    ["a.go", "x := `//`\n", "x := `//` // here\n"],
    ["Makefile", "test:\n\t./t\n", "# run it\ntest:\n\t./t\n"],
    ["a.c", "int a;\n", "/* a\n * b */\nint a;\n"],
  ])("%s: %j means the same as %j", (path, before, after) => {
    expect(isSameCode(path, before, after)).toBe(true);
  });

  it.each([
    ["a.js", 'say("a b");', 'say("ab");'],
    ["a.js", "a = b // c;", "a = c;"],
    ["a.js", 'x = /["]/; y = 1; // "', 'x = /["]/; y = 2; // "'],
    ["a.py", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n"],
    ["a.py", 'x = """# no comment"""\n', 'x = """# none"""\n'],
    ["a.bin", "same", "same "],
  ])("%s: %j does not mean the same as %j", (path, before, after) => {
    expect(isSameCode(path, before, after)).toBe(false);
  });

  it("keeps every place where it was", () => {
    const text = 'a("x") // y\nb /* z */ c';
    expect(withoutComments("a.js", text)).toBe('a("x")     \nb         c');
    expect(withoutComments("a.js", text, "blanked")).toBe('a(" ")     \nb         c');
  });
});
