import { type Base, type Files, WHICH_RUN } from "../bench.js";
import { edited, type Ecosystem } from "../ecosystem.js";

/* Python: the same library, tested by unittest and by pytest. */

const SOURCE = `def add(a, b):
    return a + b


def double(a):
    return a * 2
`;
const HALF = `

def half(a):
    return a / 3
`;
const BROKEN = `

def half(a):
    return a /
`;
const TRIPLE = `

def triple(a):
    return a * 3
`;

const project = (more = "") => `[project]\nname = "sums"\nversion = "1.0.0"\n${more}`;
const IGNORED = "__pycache__/\n";

interface Runner {
  readonly name: string;
  readonly needs: readonly string[];
  readonly settings: string;
  readonly head: string;
  readonly test: (name: string, assertion: string) => string;
  readonly skip: string;
  /** What makes the runner leave out the test of \`add\`. */
  readonly loosened: (base: Base["files"]) => Files;
  readonly missing: Pick<Base, "files" | "checks">;
}

function ecosystem({ name, needs, settings, head, test, skip, loosened, missing }: Runner): Ecosystem {
  const tests = `${head}${test("adds", "sums.add(2, 3) == 5")}${test("doubles", "sums.double(4) == 8")}`;
  const own = { "pyproject.toml": settings, ".gitignore": IGNORED };
  const green = { ...own, "sums.py": SOURCE, "tests/test_sums.py": tests };
  const nowAndThen = test("now_and_then", `int(os.environ["${WHICH_RUN}"]) % 2 == 0`);
  return {
    name,
    needs,
    bases: {
      green: { files: green },
      red: {
        files: {
          ...green,
          "sums.py": SOURCE + HALF,
          "tests/test_sums.py": tests + test("halves", "sums.half(8) == 4"),
        },
      },
      "does not compile": { files: { ...green, "sums.py": SOURCE + BROKEN } },
      "missing tool": { ...missing, files: { ...green, ...missing.files } },
      "no tests": { files: { ...own, "sums.py": SOURCE } },
      flaky: { files: { ...green, "tests/test_sums.py": tests + nowAndThen } },
    },
    changes: {
      good: (base) => ({
        "sums.py": base["sums.py"] + TRIPLE,
        ...("tests/test_sums.py" in base
          ? { "tests/test_sums.py": base["tests/test_sums.py"] + test("triples", "sums.triple(2) == 6") }
          : {}),
      }),
      harmful: (base) => edited(base, "sums.py", "a + b", "tests/test_sums.py" in base ? "a - b" : "a +"),
      removed: (base) => ({
        ...edited(base, "sums.py", "a + b", "a - b"),
        ...edited(base, "tests/test_sums.py", test("adds", "sums.add(2, 3) == 5"), ""),
      }),
      skipped: (base) => ({
        ...edited(base, "sums.py", "a + b", "a - b"),
        ...edited(base, "tests/test_sums.py", /^( *)def test_adds/m, `$1${skip}\n$1def test_adds`),
      }),
      loosened: (base) => ({ ...edited(base, "sums.py", "a + b", "a - b"), ...loosened(base) }),
      mended: (base) =>
        base["sums.py"]?.includes(BROKEN) === true
          ? edited(base, "sums.py", BROKEN, HALF.replace("3", "2"))
          : edited(base, "sums.py", "a / 3", "a / 2"),
    },
  };
}

export const unittest = ecosystem({
  name: "python with unittest",
  needs: ["python3"],
  settings: project(),
  head: "import os\nimport unittest\n\nimport sums\n\n\nclass SumsTest(unittest.TestCase):\n",
  test: (name, assertion) => `    def test_${name}(self):\n        self.assertTrue(${assertion})\n\n`,
  skip: '@unittest.skip("later")',
  // A module that stands before the library's own on the way of imports: what steers the tests is not only settings.
  loosened: (base) =>
    "tests/test_sums.py" in base
      ? edited(
          base,
          "tests/test_sums.py",
          "class SumsTest",
          "unittest.TestCase.assertTrue = lambda *_: None\n\n\nclass SumsTest",
        )
      : { "tests/__init__.py": "" },
  missing: {
    files: { "tests/test_more.py": "import no_such_package\n" },
    checks: [{ name: "test", kind: "test", run: "no-such-runner tests" }],
  },
});

export const pytest = ecosystem({
  name: "python with pytest",
  needs: ["python3", "pytest"],
  settings: project("\n[tool.pytest.ini_options]\n"),
  head: "import os\n\nimport pytest\n\nimport sums\n\n",
  test: (name, assertion) => `\ndef test_${name}():\n    assert ${assertion}\n\n`,
  skip: '@pytest.mark.skip(reason="later")',
  loosened: () => ({
    "pyproject.toml": project('\n[tool.pytest.ini_options]\naddopts = "--deselect tests/test_sums.py::test_adds"\n'),
  }),
  // What every test needs cannot be imported, so that nothing is collected.
  missing: { files: { "tests/conftest.py": "import no_such_package\n" } },
});
