import { WHICH_RUN } from "../bench.js";
import { edited, type Ecosystem } from "../ecosystem.js";

/* Java: javac behind a Makefile, and a home-made runner that says no more than whether all is well. */

const SOURCE = `public class Sums {
    public static int add(int a, int b) { return a + b; }
    public static int twice(int a) { return a * 2; }
}
`;
const tests = (more = "") => `public class SumsTest {
    static void adds() { check(Sums.add(2, 3) == 5, "adds"); }
    static void doubles() { check(Sums.twice(4) == 8, "doubles"); }
    static void check(boolean holds, String name) {
        if (!holds) throw new AssertionError(name);
    }
    public static void main(String[] arguments) {
        adds();
        doubles();
${more}    }
}
`;
const MAKEFILE = `test:
	mkdir -p out
	javac -J-XX:TieredStopAtLevel=1 -proc:none -d out Sums.java SumsTest.java
	java -XX:TieredStopAtLevel=1 -cp out SumsTest

.PHONY: test
`;
const green = { Makefile: MAKEFILE, ".gitignore": "out/\n", "Sums.java": SOURCE, "SumsTest.java": tests() };
const half = (by: string) => SOURCE.replace(/}\n$/, `    public static int half(int a) { return a / ${by}; }\n}\n`);

/** `make` alone does the same here. */
const ONLY_TESTS = [{ name: "test", kind: "test", run: "make test" }];

export const java: Ecosystem = {
  name: "java",
  needs: ["make", "javac"],
  bases: {
    green: { files: green },
    red: {
      files: {
        ...green,
        "Sums.java": half("3"),
        "SumsTest.java": tests('        check(Sums.half(8) == 4, "halves");\n'),
      },
      checks: ONLY_TESTS,
    },
    "does not compile": { files: { ...green, "Sums.java": half("") } },
    "missing tool": { files: { ...green, Makefile: MAKEFILE.replace("\tjava ", "\tno-such-runner ") } },
    "no tests": { files: { "Sums.java": SOURCE } },
    flaky: {
      files: {
        ...green,
        "SumsTest.java": tests(
          `        check(Integer.parseInt(System.getenv("${WHICH_RUN}")) % 2 == 0, "now and then");\n`,
        ),
      },
      checks: ONLY_TESTS,
    },
  },
  changes: {
    good: (base) => ({
      ...edited(base, "Sums.java", /}\n$/, "    public static int triple(int a) { return a * 3; }\n}\n"),
      ...("SumsTest.java" in base
        ? edited(
            base,
            "SumsTest.java",
            "        doubles();\n",
            '        doubles();\n        check(Sums.triple(2) == 6, "triples");\n',
          )
        : {}),
    }),
    harmful: (base) => edited(base, "Sums.java", "a + b", "SumsTest.java" in base ? "a - b" : "a + "),
    removed: (base) => ({
      ...edited(base, "Sums.java", "a + b", "a - b"),
      ...edited(base, "SumsTest.java", "        adds();\n", ""),
    }),
    skipped: (base) => ({
      ...edited(base, "Sums.java", "a + b", "a - b"),
      ...edited(base, "SumsTest.java", "        adds();\n", "        if (false) adds();\n"),
    }),
    loosened: (base) => ({
      ...edited(base, "Sums.java", "a + b", "a - b"),
      ...("Makefile" in base
        ? edited(base, "Makefile", /^\t(.* -cp out SumsTest)$/m, "\t-$1")
        : { Makefile: "test:\n\ttrue\n" }),
    }),
    mended: (base) =>
      base["Sums.java"]?.includes("a / 3") === true
        ? edited(base, "Sums.java", "a / 3", "a / 2")
        : edited(base, "Sums.java", "a / ;", "a / 2;"),
  },
};
