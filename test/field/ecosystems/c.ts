import { WHICH_RUN } from "../bench.js";
import { edited, type Ecosystem, replaced, withSubmodule } from "../ecosystem.js";

/* C: a Makefile, and a program of tests that prints TAP. */

const SOURCE = `#include "sums.h"

int add(int a, int b) { return a + b; }

int doubled(int a) { return a * 2; }
`;
const HEADER = "int add(int a, int b);\nint doubled(int a);\nint half(int a);\nint triple(int a);\n";
const tests = (more = "", count = 2) => `#include <stdio.h>
#include <stdlib.h>
#include "sums.h"

static int count, failed;

static void ok(int holds, const char *name)
{
	printf("%sok %d - %s\\n", holds ? "" : "not ", ++count, name);
	failed += !holds;
}

int main(void)
{
	printf("1..${count}\\n");
	ok(add(2, 3) == 5, "adds");
	ok(doubled(4) == 8, "doubles");
${more}	return failed != 0;
}
`;
const MAKEFILE = `CFLAGS = -Wall

all: tests

tests: sums.c tests.c sums.h
	$(CC) $(CFLAGS) -o $@ sums.c tests.c

test: tests
	./tests

.PHONY: all test
`;
const own = { Makefile: MAKEFILE, ".gitignore": "tests\n", "sums.h": HEADER, "sums.c": SOURCE };
const green = { ...own, "tests.c": tests() };
const HALF = "\nint half(int a) { return a / 3; }\n";
const NOW_AND_THEN = `\tok(atoi(getenv("${WHICH_RUN}")) % 2 == 0, "now and then");\n`;

/** So many tests more than were planned. */
const planned = (text: string, more: number) =>
  text.replace(/1\.\.(\d)/, (_, count: string) => `1..${Number(count) + more}`);

export const c: Ecosystem = {
  name: "c",
  needs: ["make", "cc"],
  bases: {
    green: { files: green },
    red: { files: { ...green, "sums.c": SOURCE + HALF, "tests.c": tests('\tok(half(8) == 4, "halves");\n', 3) } },
    "does not compile": { files: { ...green, "sums.c": `${SOURCE}\nint half(int a) { return a / ; }\n` } },
    "missing tool": { files: { ...green, Makefile: MAKEFILE.replace("\t./tests", "\tno-such-runner ./tests") } },
    "no tests": {
      files: {
        ...own,
        Makefile: "all: sums.o\n\nsums.o: sums.c sums.h\n\t$(CC) -c -o $@ sums.c\n",
        ".gitignore": "*.o\n",
      },
    },
    flaky: { files: { ...green, "tests.c": tests(NOW_AND_THEN, 3) } },
    submodule: {
      files: {
        ...own,
        Makefile: MAKEFILE.replace("-Wall", "-Wall -Ivendor/other"),
        "tests.c": tests().replace('#include "sums.h"', '#include "sums.h"\n#include "limits_of_sums.h"'),
      },
      prepare: withSubmodule("limits_of_sums.h", "#define LARGEST 1000\n"),
    },
  },
  changes: {
    good: (base) => ({
      "sums.c": `${base["sums.c"]}\nint triple(int a) { return a * 3; }\n`,
      ...("tests.c" in base
        ? {
            "tests.c": planned(
              replaced(base["tests.c"], "\treturn failed", '\tok(triple(2) == 6, "triples");\n\treturn failed'),
              1,
            ),
          }
        : {}),
    }),
    harmful: (base) => edited(base, "sums.c", "a + b", "tests.c" in base ? "a - b" : "a + "),
    removed: (base) => ({
      ...edited(base, "sums.c", "a + b", "a - b"),
      "tests.c": planned(replaced(base["tests.c"], /^\tok\(add.*\n/m, ""), -1),
    }),
    skipped: (base) => ({
      ...edited(base, "sums.c", "a + b", "a - b"),
      ...edited(base, "tests.c", 'ok(add(2, 3) == 5, "adds")', 'ok(1, "adds # SKIP later")'),
    }),
    loosened: (base) => ({
      ...edited(base, "sums.c", "a + b", "a - b"),
      ...("tests.c" in base
        ? edited(base, "Makefile", "./tests", "@printf '1..2\\nok 1 - adds\\nok 2 - doubles\\n'")
        : edited(base, "Makefile", "$(CC) -c -o $@ sums.c", "touch $@")),
    }),
    mended: (base) =>
      base["sums.c"]?.includes("a / ;") === true
        ? edited(base, "sums.c", "a / ;", "a / 2;")
        : edited(base, "sums.c", "a / 3", "a / 2"),
  },
};
