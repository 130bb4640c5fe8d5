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
      "lint: npm run lint",
      "types: npm run typecheck",
    ]);
    expect(await found({ "package.json": manifest, "pnpm-lock.yaml": "" })).toContain("test: pnpm run test");
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
      "test_3: go test -json ./...",
      "vet: go vet ./...",
      "build: go build ./...",
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
      "test: npm run test --workspaces --if-present",
      "lint: npm run lint",
      "build: npm run build --workspaces --if-present",
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
});
