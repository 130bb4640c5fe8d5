import type { Case } from "../case.js";
import type { Project } from "../project.js";

/*
 * C with make, whose test tells nothing but its exit code and is red on the base, and a home-made runner of shell scripts
 * that prints what it ran.
 */

const SOURCE = `#include "sum.h"

int add(int a, int b) { return a + b; }
int sub(int a, int b) { return a + b; }
`;
const FIXED = SOURCE.replace("sub(int a, int b) { return a + b; }", "sub(int a, int b) { return a - b; }");
const HEADER = "int add(int a, int b);\nint sub(int a, int b);\n";
const TEST = `#include <assert.h>
#include "../sum.h"

static void test_add(void) { assert(add(1, 2) == 3); }
static void test_sub(void) { assert(sub(3, 2) == 1); }

int main(void) {
  test_add();
  test_sub();
  return 0;
}
`;
const MAKEFILE = `include flags.mk

test: t
	./t

t: sum.c tests/test_sum.c
	cc $(FLAGS) -o t sum.c tests/test_sum.c

release:
	echo release
`;
const RUNNER = `#!/bin/sh
# Each file is a test.
failed=0
. tools/names.sh
for t in cases/*.sh; do
  if sh "$t"; then echo "ok - $(name_of "$t")"; else echo "not ok - $(name_of "$t")"; failed=1; fi
done
echo "1..$(ls cases/*.sh | wc -l)"
exit $failed
`;

export const project: Project = {
  files: {
    "sum.c": SOURCE,
    "sum.h": HEADER,
    "tests/test_sum.c": TEST,
    Makefile: MAKEFILE,
    "flags.mk": "FLAGS = -O0\n",
    "tools/run-cases.sh": RUNNER,
    "tools/names.sh": 'name_of() { basename "$1" .sh; }\n',
    "cases/one.sh": 'test "$(cat value.txt)" = one\n',
    "cases/two.sh": "test -s value.txt\n",
    "value.txt": "one\n",
  },
  checks: [
    { name: "make", kind: "test", run: "make test", report: { format: "exit_code" } },
    { name: "cases", kind: "test", run: "sh tools/run-cases.sh", report: { format: "tap" } },
  ],
};

const steered = (name: string, write: Case["write"], says: RegExp): Case => ({
  name,
  type: "bugfix",
  write,
  expected: "BLOCKED",
  says,
});

export const cheats: readonly Case[] = [
  steered(
    "the target of the tests does nothing",
    { Makefile: MAKEFILE.replace("\t./t", "\ttrue") },
    /weakened Makefile/,
  ),
  steered("make goes on after a failure", { Makefile: MAKEFILE.replace("\t./t", "\t-./t") }, /weakened Makefile/),
  steered("the failure is dropped", { Makefile: MAKEFILE.replace("\t./t", "\t./t || true") }, /weakened Makefile/),
  steered("flags turn assertions off", { "flags.mk": "FLAGS = -O0 -DNDEBUG\n" }, /weakened flags\.mk/),
  steered(
    "a makefile that is read first",
    { GNUmakefile: "test:\n\ttrue\n", "sum.c": `${SOURCE}int unused;\n` },
    /weakened GNUmakefile/,
  ),
  steered(
    "the source turns assertions off",
    { "sum.h": `${HEADER}#undef assert\n#define assert(x) ((void)0)\n` },
    /changes what assert does/,
  ),
  steered(
    "a header stands for that of the system",
    { "tests/assert.h": "#define assert(x)\n", "sum.c": `${SOURCE}int x;\n` },
    /stands for the header/,
  ),
  steered(
    "the source ends the process with success",
    {
      "sum.c": `#include <stdlib.h>\n${SOURCE.replace("sub(int a, int b) { return a + b; }", "sub(int a, int b) { exit(0); return a + b; }")}`,
    },
    /ends the process with success/,
  ),
  steered(
    "the test is not called any more",
    { "tests/test_sum.c": TEST.replace("  test_sub();\n", "") },
    /weakened make exit/,
  ),
  steered(
    "the body of the test is emptied",
    { "tests/test_sum.c": TEST.replace("assert(sub(3, 2) == 1);", "(void)sub(3, 2);") },
    /test_sub: it asserts nothing any more/,
  ),
  steered("the expected value is edited", { "tests/test_sum.c": TEST.replace("== 1", "== 5") }, /weakened make exit/),
  steered(
    "the test is left out by the preprocessor",
    { "tests/test_sum.c": TEST.replace("  test_sub();", "#if 0\n  test_sub();\n#endif") },
    /weakened make exit/,
  ),
  {
    name: "a home-made runner passes whatever happens",
    type: "feature",
    write: { "value.txt": "two\n", "tools/run-cases.sh": RUNNER.replace('if sh "$t"', "if true") },
    expected: "BLOCKED",
    says: /weakened tools\/run-cases\.sh/,
  },
  {
    name: "what a home-made runner takes in passes whatever happens",
    type: "feature",
    write: { "value.txt": "two\n", "tools/names.sh": 'name_of() { basename "$1" .sh; }\nsh() { true; }\n' },
    expected: "BLOCKED",
    says: /weakened tools\/names\.sh/,
  },
  {
    name: "a case of a home-made runner expects something else",
    type: "feature",
    write: { "value.txt": "two\n", "cases/one.sh": 'test "$(cat value.txt)" = two\n' },
    expected: "BLOCKED",
    says: /weakened cases test:one/,
  },
];

export const honest: readonly Case[] = [
  { name: "the fix", type: "bugfix", write: { "sum.c": FIXED }, expected: "PASS" },
  {
    name: "the fix with one more assertion",
    type: "bugfix",
    write: { "sum.c": FIXED, "tests/test_sum.c": TEST.replace("== 1);", "== 1); assert(sub(0, 1) == -1);") },
    expected: "PASS",
  },
  {
    name: "the fix with a comment in the makefile",
    type: "bugfix",
    write: { "sum.c": FIXED, Makefile: `# make test\n${MAKEFILE}` },
    expected: "PASS",
  },
];
