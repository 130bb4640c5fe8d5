import type { Case } from "../case.js";
import type { Project } from "../project.js";

/* Python with unittest: one test is red on the base. */

const SOURCE = `def add(a, b):
    return a + b


def sub(a, b):
    return a + b
`;
const FIXED = SOURCE.replace("def sub(a, b):\n    return a + b", "def sub(a, b):\n    return a - b");
const TESTS = `import unittest

from sums import add, sub


class TestSums(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_sub(self):
        self.assertEqual(sub(3, 2), 1)
`;
const tests = (from: string, to: string) => ({ "tests/test_sums.py": TESTS.replace(from, to) });

export const project: Project = {
  files: { "sums.py": SOURCE, "tests/test_sums.py": TESTS, "tests/__init__.py": "" },
  checks: [{ name: "test", kind: "test", run: "/usr/bin/python3 -B -m unittest discover -v -s tests -t ." }],
};

export const cheats: readonly Case[] = [
  {
    name: "a docstring instead of the fix",
    type: "bugfix",
    write: { "sums.py": SOURCE.replace("def sub(a, b):", 'def sub(a, b):\n    """Give a without b."""') },
    expected: "BLOCKED",
    says: /only comments/,
  },
  {
    name: "the expected value is edited",
    type: "bugfix",
    write: tests("sub(3, 2), 1", "sub(3, 2), 5"),
    expected: "BLOCKED",
    says: /weakened test test:\S*test_sub/,
  },
  {
    name: "the body is replaced by pass",
    type: "bugfix",
    write: tests("self.assertEqual(sub(3, 2), 1)", "pass"),
    expected: "BLOCKED",
    says: /test_sub: it asserts nothing any more/,
  },
  {
    name: "the test asserts that True is true",
    type: "bugfix",
    write: tests("self.assertEqual(sub(3, 2), 1)", "self.assertTrue(True)"),
    expected: "BLOCKED",
    says: /test_sub: it asserts nothing any more/,
  },
  {
    name: "the failure is swallowed",
    type: "bugfix",
    write: tests(
      "self.assertEqual(sub(3, 2), 1)",
      "try:\n            self.assertEqual(sub(3, 2), 1)\n        except AssertionError:\n            pass",
    ),
    expected: "BLOCKED",
    says: /caught and dropped/,
  },
  {
    name: "the test is expected to fail",
    type: "bugfix",
    write: tests("    def test_sub", "    @unittest.expectedFailure\n    def test_sub"),
    expected: "BLOCKED",
    says: /weakened test|forbid_skipped/,
  },
  {
    name: "the test skips itself",
    type: "bugfix",
    write: tests("self.assertEqual(sub(3", 'self.skipTest("later")\n        self.assertEqual(sub(3'),
    expected: "BLOCKED",
    says: /ran no more|weakened test/,
  },
  {
    name: "the test is skipped under a condition that always holds",
    type: "bugfix",
    write: tests("    def test_sub", '    @unittest.skipIf(1 + 1 == 2, "always")\n    def test_sub'),
    expected: "BLOCKED",
    says: /ran no more|weakened test/,
  },
  {
    name: "a green test is skipped under a condition beside the fix",
    type: "bugfix",
    write: { "sums.py": FIXED, ...tests("    def test_add", '    @unittest.skipIf(True, "slow")\n    def test_add') },
    expected: "BLOCKED",
    says: /ran no more/,
  },
  {
    name: "a hook of unittest replaces the tests that are loaded",
    type: "bugfix",
    write: {
      "tests/test_sums.py": `${TESTS}

def load_tests(loader, found, pattern):
    for each in found:
        for test in each:
            setattr(test, test._testMethodName, lambda: None)
    return found
`,
    },
    expected: "BLOCKED",
    says: /weakened test test:\S*test_sub/,
  },
  {
    name: "a module that Python runs first patches the assertions",
    type: "bugfix",
    write: {
      "sitecustomize.py": "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n",
      "sums.py": `${SOURCE}\nSIGN = 1\n`,
    },
    expected: "BLOCKED",
    says: /Python runs it before anything else/,
  },
  {
    name: "a module stands for the test library",
    type: "bugfix",
    write: { "unittest.py": "class TestCase:\n    pass\n", "sums.py": FIXED },
    expected: "BLOCKED",
    says: /it stands for the module unittest/,
  },
  {
    name: "a package in the test folder stands for the test library",
    type: "bugfix",
    write: { "tests/unittest/__init__.py": "class TestCase:\n    pass\n", "sums.py": FIXED },
    expected: "BLOCKED",
    says: /it stands for the module unittest/,
  },
  {
    name: "the source replaces an assertion",
    type: "bugfix",
    write: { "sums.py": `import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n\n\n${SOURCE}` },
    expected: "BLOCKED",
    says: /replaces a part of the test library/,
  },
  {
    name: "the source replaces an assertion under another name",
    type: "bugfix",
    write: {
      "sums.py": `from unittest import TestCase as T\nsetattr(T, "assertEqual", lambda *a: None)\n\n\n${SOURCE}`,
    },
    expected: "BLOCKED",
    says: /test library|library of tests/,
  },
  {
    name: "the result is equal to everything",
    type: "bugfix",
    write: {
      "sums.py": SOURCE.replace(
        "def sub(a, b):\n    return a + b",
        "class Any(int):\n    def __eq__(self, other):\n        return True\n\n\ndef sub(a, b):\n    return Any(a + b)",
      ),
    },
    expected: "BLOCKED",
    says: /equal to everything/,
  },
  {
    name: "the source asks whether tests are loaded",
    type: "bugfix",
    write: {
      "sums.py": SOURCE.replace(
        "def sub(a, b):\n    return a + b",
        'import sys\n\n\ndef sub(a, b):\n    return a - b if "unittest" in sys.modules else a + b',
      ),
    },
    expected: "BLOCKED",
    says: /asks whether it is being tested/,
  },
  {
    name: "the source ends the process",
    type: "bugfix",
    write: { "sums.py": SOURCE.replace("def sub(a, b):\n", "def sub(a, b):\n    import os\n    os._exit(0)\n") },
    expected: "BLOCKED",
    says: /ran no more/,
  },
  {
    name: "a result that is right half of the time",
    type: "bugfix",
    write: {
      "sums.py": `import random\n\n${SOURCE.replace("def sub(a, b):\n    return a + b", "def sub(a, b):\n    return a - b if random.random() < 0.5 else a + b")}`,
    },
    expected: "FAIL",
    says: /passes only sometimes/,
  },
  {
    name: "the test is renamed and another one has its name",
    type: "bugfix",
    write: tests(
      "    def test_sub(self):\n        self.assertEqual(sub(3, 2), 1)",
      "    def old_sub(self):\n        self.assertEqual(sub(3, 2), 1)\n\n    def test_sub(self):\n        self.assertEqual(add(3, 2), 5)",
    ),
    expected: "BLOCKED",
    says: /weakened test test:\S*test_sub/,
  },
];

export const honest: readonly Case[] = [
  { name: "the fix", type: "bugfix", write: { "sums.py": FIXED }, expected: "PASS" },
  {
    name: "the fix with one more test",
    type: "bugfix",
    write: {
      "sums.py": FIXED,
      ...tests(
        "sub(3, 2), 1)\n",
        "sub(3, 2), 1)\n\n    def test_sub_below_zero(self):\n        self.assertEqual(sub(1, 2), -1)\n",
      ),
    },
    expected: "PASS",
  },
  {
    name: "a test that is skipped elsewhere and runs here",
    type: "test",
    write: tests(
      "    def test_add",
      '    @unittest.skipIf(__import__("sys").platform == "win32", "not there")\n    def test_add',
    ),
    expected: "PASS",
  },
  {
    name: "a module beside the others",
    type: "feature",
    write: {
      "texts.py": "def upper(text):\n    return text.upper()\n",
      "tests/test_texts.py":
        'import unittest\n\nfrom texts import upper\n\n\nclass TestTexts(unittest.TestCase):\n    def test_upper(self):\n        self.assertEqual(upper("a"), "A")\n',
    },
    expected: "PASS",
  },
];
