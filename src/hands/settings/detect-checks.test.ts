import { describe, expect, it } from "vitest";
import { detectChecks } from "./detect-checks.js";

const found = async (files: Readonly<Record<string, string>>) =>
  (
    await detectChecks({ read: async (name) => files[name] ?? null, list: async (folder) => namesIn(files, folder) })
  ).map(({ check }) => `${check.name}: ${check.run}`);

function namesIn(files: Readonly<Record<string, string>>, folder: string): string[] {
  const head = folder === "." ? "" : `${folder}/`;
  const inside = Object.keys(files).filter((file) => file.startsWith(head));
  return [...new Set(inside.map((file) => file.slice(head.length).split("/")[0] ?? ""))];
}

describe("the checks a project already has", () => {
  it("are the scripts of its package.json, run by the manager whose lockfile is there", async () => {
    const manifest = JSON.stringify({ scripts: { test: "vitest", typecheck: "tsc", lint: "eslint .", start: "x" } });
    expect(await found({ "package.json": manifest })).toEqual([
      "test: npm run test",
      "types: npm run typecheck",
      "lint: npm run lint",
    ]);
    expect(await found({ "package.json": manifest, "pnpm-lock.yaml": "" })).toContain("test: pnpm run test");
  });

  it("leave out a script that another one runs with more", async () => {
    const scripts = {
      test: "jest && npm run check:type:ts",
      check: "npm run check:type && npm run check:lint",
      "check:lint": "eslint .",
      "check:type": "npm run check:type:js && npm run check:type:ts",
      "check:type:js": "tsc -p tsconfig.js.json",
      "check:type:ts": "tsd && tsc -p tsconfig.ts.json",
    };
    const workflow = "jobs:\n  a:\n    steps:\n      - run: npm test\n      - run: npm run check\n";
    const files = { "package.json": JSON.stringify({ scripts }), ".github/workflows/ci.yml": workflow };
    expect(await found(files)).toEqual([
      'test: PATH="$PWD/node_modules/.bin:$PATH" jest',
      "types: npm run check:type",
      "lint: npm run check:lint",
    ]);
  });

  it("are not what npm init puts there, nor a manifest that cannot be read", async () => {
    const placeholder = JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } });
    expect(await found({ "package.json": placeholder })).toEqual([]);
    expect(await found({ "package.json": "{" })).toEqual([]);
  });

  it("are those of several languages, each with a name of its own", async () => {
    const files = {
      "package.json": JSON.stringify({ scripts: { test: "x" } }),
      "go.mod": "",
      "pyproject.toml": "[tool.pytest]\n[tool.ruff]",
    };
    expect(await found(files)).toEqual([
      "test: npm run test",
      "test_2: python3 -m pytest -v",
      "lint: ruff check .",
      "build: go build ./...",
      "test_3: go test -json ./...",
      "vet: go vet ./...",
    ]);
  });

  it("are those of the packages in a repository of many, where its root has none", async () => {
    const pack = (scripts: object) => JSON.stringify({ scripts });
    const packages = {
      "packages/a/package.json": pack({ test: "x" }),
      "packages/b/package.json": pack({ build: "y" }),
    };
    const root = JSON.stringify({ workspaces: ["packages/*"], scripts: { lint: "z" } });
    expect(await found({ "package.json": root, ...packages })).toEqual([
      "build: npm run build --workspaces --if-present",
      "test: npm run test --workspaces --if-present",
      "lint: npm run lint",
    ]);
    const pnpm = { "package.json": "{}", "pnpm-lock.yaml": "", "pnpm-workspace.yaml": "packages:\n  - packages/*\n" };
    expect(await found({ ...pnpm, ...packages })).toContain("test: pnpm --recursive --if-present run test");
    expect(await found({ "package.json": root, "packages/a/readme": "" })).toEqual(["lint: npm run lint"]);
  });

  it("are Python's own tests where nobody speaks of pytest", async () => {
    const files = { "pyproject.toml": "[project]\nname = 'x'", "tests/test_x.py": "import unittest" };
    expect(await found(files)).toEqual(["test: python3 -m unittest discover -v -s tests"]);
    expect(await found({ ...files, "tests/__init__.py": "", "src/x/__init__.py": "" })).toEqual([
      "test: PYTHONPATH=src python3 -m unittest discover -v -s tests -t .",
    ]);
    expect(await found({ ...files, "tests/test_y.py": "import pytest" })).toEqual(["test: python3 -m pytest -v"]);
    expect(await found({ "setup.py": "", "requirements-dev.txt": "pytest==8" })).toEqual([
      "test: python3 -m pytest -v",
    ]);
    expect(await found({ "pyproject.toml": "" })).toEqual([]);
  });

  it("are targets of a Makefile when nothing better is known", async () => {
    expect(await found({ Makefile: "all: x\ntest:\n\tsh t\nlint: x\nVAR := y\n" })).toEqual([
      "test: make test",
      "lint: make lint",
    ]);
    expect(await found({})).toEqual([]);
  });

  it("are those of Maven and Gradle, by the wrapper where there is one, with the reports they write", async () => {
    expect(await found({ "pom.xml": "<project/>" })).toEqual(["test: mvn --batch-mode --offline --fail-at-end test"]);
    expect(await found({ "pom.xml": "", mvnw: "" })).toEqual([
      "test: ./mvnw --batch-mode --offline --fail-at-end test",
    ]);
    expect(await found({ "build.gradle.kts": "", gradlew: "" })).toEqual([
      "test: ./gradlew --offline --no-daemon --continue test",
    ]);
    const files = { read: async () => null, list: async () => ["pom.xml"] };
    expect((await detectChecks(files))[0]?.check.report).toEqual({
      format: "junit",
      file: "**/target/surefire-reports/TEST-*.xml",
    });
  });

  it("are tasks of Deno, also with comments, and its own tests where no task is", async () => {
    const tasks = '{\n  // how we work\n  "tasks": { "test": "deno test -A", "lint": "deno lint", },\n}';
    expect(await found({ "deno.jsonc": tasks })).toEqual(["test: deno task test", "lint: deno task lint"]);
    expect(await found({ "deno.json": "{}", "src/a_test.ts": "" })).toEqual(["test: deno test --reporter=tap"]);
    expect(await found({ "deno.json": "{}" })).toEqual([]);
  });

  it("are Bun's own tests where no script is", async () => {
    expect(await found({ "package.json": "{}", "bun.lockb": "", "a.test.ts": "" })).toEqual(["test: bun test"]);
    const manifest = JSON.stringify({ scripts: { test: "bun test a" } });
    expect(await found({ "package.json": manifest, "bun.lock": "" })).toEqual(["test: bun run test"]);
  });

  it("are scripts of Composer, and PHPUnit where it is set up", async () => {
    const manifest = JSON.stringify({ scripts: { test: "phpunit", phpstan: ["phpstan"] } });
    expect(await found({ "composer.json": manifest, "phpunit.xml": "" })).toEqual([
      "test: composer run-script test",
      "types: composer run-script phpstan",
    ]);
    expect(await found({ "composer.json": "{}", "phpunit.xml.dist": "" })).toEqual([
      "test: vendor/bin/phpunit --log-junit phpunit-report.xml",
    ]);
    expect(await found({ "composer.json": "{" })).toEqual([]);
  });

  it("are those of Ruby and .NET", async () => {
    expect(await found({ Gemfile: 'gem "rspec"\ngem "rubocop"', "spec/a_spec.rb": "" })).toEqual([
      "test: bundle exec rspec",
      "lint: bundle exec rubocop",
    ]);
    expect(await found({ Rakefile: "Rake::TestTask.new" })).toEqual(["test: rake test"]);
    expect(await found({ Gemfile: "" })).toEqual([]);
    expect(await found({ "App.sln": "", "App.csproj": "" })).toEqual(["test: dotnet test", "build: dotnet build"]);
  });

  it("are `make check` where that is the test, tests in Bats, or a script that runs them", async () => {
    expect(await found({ GNUmakefile: ".PHONY: check\ncheck lint: all\n\ttrue\n" })).toEqual([
      "test: make check",
      "lint: make lint",
    ]);
    expect(await found({ "test/a.bats": "" })).toEqual(["test: bats --formatter tap test"]);
    expect(await found({ "run-tests.sh": "#!/usr/bin/env bash\n" })).toEqual(["test: bash run-tests.sh"]);
    expect(await found({ "test.sh": "" })).toEqual(["test: sh test.sh"]);
  });

  it("are what the CI runs, before what has a usual name", async () => {
    const workflow = (...runs: string[]) =>
      `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${runs.map((run) => `      - run: ${run}\n`).join("")}`;
    const manifest = JSON.stringify({
      scripts: { test: "mocha", "test-ci": "nyc --reporter=lcov npm test", verify: "eslint .", lint: "standard" },
    });
    const files = {
      "package.json": manifest,
      ".github/workflows/ci.yml": workflow("npm ci", "npm run verify", "npm run test-ci"),
    };
    expect(await found(files)).toEqual(["test: npm run test", "lint: npm run verify", "lint_2: npm run lint"]);
    const python = {
      "setup.cfg": "[metadata]",
      "tests/runtests.py": "",
      ".github/workflows/tests.yml": workflow("python -Wall tests/runtests.py -v2"),
    };
    expect(await found(python)).toEqual(["test: python3 -Wall tests/runtests.py -v2"]);
    const rust = {
      "Cargo.toml": "",
      ".gitlab-ci.yml": "test:\n  script:\n    - cargo test --all-features\n    - cargo fmt -- --check\n",
    };
    expect(await found(rust)).toEqual([
      "build: cargo build --offline",
      "test: cargo test --offline --no-fail-fast",
      "test_all_features: cargo test --offline --no-fail-fast --all-features",
      "format: cargo fmt --check",
    ]);
    // Steps that only the CI knows, and workflows that prove nothing of a change, are left out.
    const unknown = {
      Makefile: "verify-it:\n\ttrue\n",
      ".github/workflows/ci.yml": workflow("make ${{ matrix.target }}"),
      ".github/workflows/release.yml": workflow("make verify-it"),
    };
    expect(await found(unknown)).toEqual([]);
  });

  it("are the parts of a script that mixes linters with tests, so that one message hides no test", async () => {
    const of = async (scripts: object, more: Readonly<Record<string, string>> = {}) =>
      found({ "package.json": JSON.stringify({ scripts }), ...more });
    expect(await of({ test: "xo && npm run build && ava", build: "del-cli dist && tsc -p ." })).toEqual([
      "build: npm run build",
      'test: npm run build && PATH="$PWD/node_modules/.bin:$PATH" ava',
      'lint: PATH="$PWD/node_modules/.bin:$PATH" xo',
    ]);
    expect(await of({ pretest: "npm run lint", test: "vitest run", lint: "oxlint . && oxfmt --check" })).toEqual([
      'test: PATH="$PWD/node_modules/.bin:$PATH" vitest run',
      "lint: npm run lint",
    ]);
    expect(await of({ test: "pnpm lint && TZ=UTC vitest", lint: "eslint ." }, { "pnpm-lock.yaml": "" })).toEqual([
      "test: TZ=UTC pnpm exec vitest",
      "lint: pnpm run lint",
    ]);
    // Only a shell knows what these do.
    expect(await of({ test: "eslint . ; mocha" })).toEqual(["test: npm run test"]);
    expect(await of({ test: "eslint . && (cd a && mocha)" })).toEqual(["test: npm run test"]);
    expect(await of({ test: "npm run a", a: "npm run test && eslint ." })).toEqual(["test: npm run test"]);
  });

  it("are those of every package in the repository, each in its own folder", async () => {
    const files = {
      "package.json": JSON.stringify({ workspaces: ["src/*"], scripts: { build: "npm run build --workspaces" } }),
      "src/web/package.json": JSON.stringify({ scripts: { test: "vitest" } }),
      "src/fetch/pyproject.toml": "[project]\nname = 'fetch'\n[tool.pytest]",
      "src/fetch/src/fetch/__init__.py": "",
      "tools/deep/gen/go.mod": "module gen",
      "examples/demo/package.json": JSON.stringify({ scripts: { test: "x" } }),
    };
    expect(await found(files)).toEqual([
      "build: npm run build",
      "test: npm run test --workspaces --if-present",
      "test_fetch: cd src/fetch && PYTHONPATH=src python3 -m pytest -v",
      "build_gen: cd tools/deep/gen && go build ./...",
      "test_gen: cd tools/deep/gen && go test -json ./...",
      "vet_gen: cd tools/deep/gen && go vet ./...",
    ]);
  });

  it("are a build by make where its first target compiles, by CMake and its tests, and recipes of just and Task", async () => {
    expect(
      await found({ Makefile: "all: kilo\n\nkilo: kilo.c\n\t$(CC) -o kilo kilo.c\n\nclean:\n\trm kilo\n" }),
    ).toEqual(["build: make"]);
    expect(await found({ Makefile: "help:\n\t@echo no\ntest: x.o\n\t./x\n" })).toEqual(["test: make test"]);
    const cmake = await detectChecks({
      read: async (name) =>
        ({ "CMakeLists.txt": "project(x)\nenable_testing()\n", Makefile: "test: x\n\t./x\n" })[name] ?? null,
      list: async () => [],
    });
    expect(cmake.map(({ check }) => [check.kind, check.report.file])).toEqual([
      ["build", undefined],
      ["test", "build-checks/ctest.xml"],
    ]);
    expect(cmake[1]?.instead?.map(({ check }) => check.run)).toEqual(["make test"]);
    expect(await found({ justfile: "test: build\n  x\nbuild:\n  y\nx := 'a'\n" })).toEqual([
      "build: just build",
      "test: just test",
    ]);
    expect(await found({ "Taskfile.yml": "tasks:\n  lint: x\n  test: y\n" })).toEqual([
      "test: task test",
      "lint: task lint",
    ]);
  });

  it("of Python are what tox runs, with mypy as its settings say, and a package that looks installed where tests ask for it", async () => {
    const tox = {
      "pyproject.toml": '[project]\nname = "my-app"\nversion = "1.2"\n[tool.mypy]\nfiles = ["src"]\n',
      "tox.ini": "[testenv]\ncommands =\n    tests: pytest -n auto {posargs}\n[testenv:style]\ncommands = flake8 src\n",
      "src/app/__init__.py": "",
    };
    const all = await detectChecks({
      read: async (name) => tox[name as keyof typeof tox] ?? null,
      list: async (folder) => namesIn(tox, folder),
    });
    expect(all.map(({ check }) => `${check.name}: ${check.run}`)).toEqual([
      "test: PYTHONPATH=src python3 -m pytest -v",
      "lint: flake8 src",
      "types: mypy",
    ]);
    const [other] = all[0]?.instead ?? [];
    expect(other?.check.run).toMatch(
      /^mkdir -p \/tmp\/metadata\/my_app-1\.2\.dist-info && .* PYTHONPATH=src:\/tmp\/metadata python3 -m pytest -v$/,
    );
    expect(await found({ "setup.cfg": "[mypy]\nstrict = true" })).toEqual(["types: mypy ."]);
    expect(await found({ "requirements.txt": "django", "tests/runtests.py": "" })).toEqual([
      "test: PYTHONPATH=. python3 tests/runtests.py",
    ]);
  });

  it("of Python are what the sessions of nox run, without commands that are computed", async () => {
    const noxfile = [
      "import nox",
      "@nox.session",
      "def tests(session):",
      '    session.install("-r", "requirements.txt")',
      '    session.run("pytest", "testing", *session.posargs)',
      "@nox.session",
      "def lint(session: nox.Session) -> None:",
      '    # session.run("pylint", "old")',
      "    session.run(",
      "        'flake8',",
      "        'src', env={'A': 'b'},",
      "    )",
      '    session.run(PROGRAM, "src")',
      '    session.run("pyright", f"src/{name}")',
      '    session.run("mypy", "--strict", *session.posargs)',
    ].join("\n");
    expect(await found({ "noxfile.py": noxfile, "setup.py": "", "testing/test_a.py": "" })).toEqual([
      "test: python3 -m pytest -v testing",
      "lint: flake8 src",
      "types: mypy --strict",
    ]);
    expect(await found({ "noxfile.py": "import nox\n" })).toEqual([]);
  });
});
