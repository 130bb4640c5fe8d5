import { WHICH_RUN } from "../bench.js";
import { edited, replaced, type Ecosystem } from "../ecosystem.js";

/* Go: a module without requirements. */

const SOURCE = `package sums

func Add(a, b int) int { return a + b }

func Double(a int) int { return a * 2 }
`;
const TESTS = `package sums

import "testing"

func TestAdds(t *testing.T) {
	if Add(2, 3) != 5 {
		t.Fatal("2 and 3 are 5")
	}
}

func TestDoubles(t *testing.T) {
	if Double(4) != 8 {
		t.Fatal("twice 4 is 8")
	}
}
`;
const HALVES = `
func TestHalves(t *testing.T) {
	if Half(8) != 4 {
		t.Fatal("half of 8 is 4")
	}
}
`;
const NOW_AND_THEN = `
func TestNowAndThen(t *testing.T) {
	which := os.Getenv("${WHICH_RUN}")
	if (which[len(which)-1]-'0')%2 != 0 {
		t.Fatal("not this time")
	}
}
`;
const HALF = "\nfunc Half(a int) int { return a / 3 }\n";
const BROKEN = "\nfunc Half(a int) int { return a / }\n";
const own = { "go.mod": "module example.org/sums\n\ngo 1.18\n", "sums.go": SOURCE };
const green = { ...own, "sums_test.go": TESTS };
const ADDS = TESTS.slice(TESTS.indexOf("func TestAdds"), TESTS.indexOf("func TestDoubles"));

/** Where the tests alone say what is wrong, build and vet only take time. */
const ONLY_TESTS = [{ name: "test", kind: "test", run: "go test -json ./..." }];

const file = (base: object, name: string) => (`core/${name}` in base ? `core/${name}` : name);

export const go: Ecosystem = {
  name: "go",
  needs: ["go"],
  cache: { folder: "~/.cache/go-build", fill: "go vet ./... && go test ./..." },
  bases: {
    green: { files: green },
    red: {
      files: { ...green, "sums.go": SOURCE + HALF, "sums_test.go": TESTS + HALVES },
      checks: ONLY_TESTS,
    },
    "does not compile": { files: { ...green, "sums.go": SOURCE + BROKEN } },
    "missing tool": { files: green, checks: [{ name: "test", kind: "test", run: "no-such-runner ./..." }] },
    "no tests": { files: own },
    flaky: {
      files: { ...green, "sums_test.go": TESTS.replace('import "', 'import "os"\nimport "') + NOW_AND_THEN },
      checks: ONLY_TESTS,
    },
    monorepo: {
      files: {
        "go.mod": own["go.mod"],
        "core/sums.go": SOURCE,
        "core/sums_test.go": TESTS,
        "other/other.go": "package other\n\nfunc Two() int { return 2 }\n",
      },
    },
  },
  changes: {
    good: (base) => ({
      [file(base, "sums.go")]: `${base[file(base, "sums.go")]}\nfunc Triple(a int) int { return a * 3 }\n`,
      ...(file(base, "sums_test.go") in base
        ? {
            [file(base, "sums_test.go").replace("sums_test", "triple_test")]: replaced(ADDS, "TestAdds", "TestTriples")
              .replace("Add(2, 3) != 5", "Triple(2) != 6")
              .replace(/^/, 'package sums\n\nimport "testing"\n\n'),
          }
        : {}),
    }),
    harmful: (base) =>
      edited(base, file(base, "sums.go"), "a + b", file(base, "sums_test.go") in base ? "a - b" : "a +"),
    removed: (base) => ({
      ...edited(base, file(base, "sums.go"), "a + b", "a - b"),
      ...edited(base, file(base, "sums_test.go"), ADDS, ""),
    }),
    skipped: (base) => ({
      ...edited(base, file(base, "sums.go"), "a + b", "a - b"),
      ...edited(base, file(base, "sums_test.go"), "if Add", 't.Skip("later")\n\tif Add'),
    }),
    // A tag that nobody builds with: the file of the tests is there, and in no build. Without tests, one that sees nothing.
    loosened: (base) => ({
      ...edited(base, file(base, "sums.go"), "a + b", "a - b"),
      ...(file(base, "sums_test.go") in base
        ? edited(base, file(base, "sums_test.go"), /^package/, "//go:build never\n\npackage")
        : { "sums_test.go": 'package sums\n\nimport "testing"\n\nfunc TestNothing(t *testing.T) {}\n' }),
    }),
    mended: (base) =>
      base["sums.go"]?.includes(BROKEN) === true
        ? edited(base, "sums.go", "a / }", "a / 2 }")
        : edited(base, "sums.go", "a / 3", "a / 2"),
  },
};
