import { describe, expect, it } from "vitest";
import { Check } from "../../../model/settings/check.js";
import type { ProjectView } from "./examined.js";
import { steersTheSame } from "./steering-change.js";
import { steeringFiles } from "./steering-files.js";

function view(files: Readonly<Record<string, string>>): ProjectView {
  return { paths: new Set(Object.keys(files)), read: async (path) => files[path] ?? null };
}

async function steering(run: string, files: Readonly<Record<string, string>>) {
  const { steering, tests } = await steeringFiles([Check.parse({ name: "test", kind: "test", run })], view(files));
  return { files: [...steering.keys()].sort(), tests: [...tests].sort(), steering };
}

const PACKAGE = JSON.stringify({ scripts: { test: "vitest run", lint: "eslint ." } });

describe("files that steer a check", () => {
  it.each([
    ["vitest run", { "vite.config.ts": "", "src/a.ts": "" }, ["vite.config.ts"]],
    [
      "npm test",
      { "package.json": PACKAGE, "vite.config.ts": "", ".eslintignore": "" },
      ["package.json", "vite.config.ts"],
    ],
    [
      "npm run lint",
      { "package.json": PACKAGE, "vite.config.ts": "", ".eslintignore": "" },
      [".eslintignore", "package.json"],
    ],
    ["npx mocha -r ./tools/setup.js", { ".mocharc.yml": "", "tools/setup.js": "" }, [".mocharc.yml", "tools/setup.js"]],
    [
      "python3 -m pytest -v",
      { "conftest.py": "", "tests/conftest.py": "", "setup.cfg": "", "a.py": "" },
      ["conftest.py", "setup.cfg", "tests/conftest.py"],
    ],
    ["cd pkg && cargo test", { "pkg/build.rs": "", "pkg/src/lib.rs": "", "other/build.rs": "" }, ["pkg/build.rs"]],
    ["meson test -C build", { "meson.build": "library('ini', 'ini.c')", "ini.c": "", "ini.h": "" }, ["meson.build"]],
    ["go test ./...", { "go.mod": "", "a.go": "", "a_test.go": "" }, ["go.mod"]],
    [
      "./scripts/ci.sh",
      {
        "scripts/ci.sh": "#!/bin/sh\n. scripts/env.sh\nmake check\n",
        "scripts/env.sh": "",
        Makefile: "check:\n\ttrue\n",
      },
      ["Makefile", "scripts/ci.sh", "scripts/env.sh"],
    ],
    [
      "make -C sub test",
      {
        Makefile: "",
        "sub/Makefile": "include more.mk\ntest:\n\tctest\n",
        "sub/more.mk": "",
        "sub/CMakeLists.txt": "",
      },
      ["sub/CMakeLists.txt", "sub/Makefile", "sub/more.mk"],
    ],
    [
      "NODE_OPTIONS='--import ./tools/hook.mjs' node --test",
      { "tools/hook.mjs": "", ".npmrc": "" },
      [".npmrc", "tools/hook.mjs"],
    ],
    [
      "tsc -p tsconfig.build.json",
      { "tsconfig.build.json": '{ "extends": "./base/strict.json" }', "base/strict.json": "{}" },
      ["base/strict.json", "tsconfig.build.json"],
    ],
    [
      "vitest",
      {
        "vitest.config.ts": 'export default { test: { setupFiles: ["./tools/setup.ts"] } }',
        "tools/setup.ts": "",
        "src/a.ts": "",
      },
      ["tools/setup.ts", "vitest.config.ts"],
    ],
    ["node run-tests.js", { "run-tests.js": 'require("./lib/a.js")', "lib/a.js": "" }, ["run-tests.js"]],
    [
      "node tools/run.js",
      { "tools/run.js": 'require("./report.js"); require("../src/a.js")', "tools/report.js": "", "src/a.js": "" },
      ["tools/report.js", "tools/run.js"],
    ],
    [
      "pnpm -r test",
      {
        "package.json": "{}",
        "packages/a/package.json": '{"scripts":{"test":"jest"}}',
        "packages/a/jest.config.js": "",
      },
      ["package.json", "packages/a/jest.config.js", "packages/a/package.json"],
    ],
    ["eslint src", { "test/fixtures/x/.eslintrc.json": "", ".eslintrc.json": "" }, [".eslintrc.json"]],
    ["pytest", { "pyproject.toml": 'readme = "README.md"\n', "README.md": "" }, ["pyproject.toml"]],
  ] as const)("%s with %j: %j", async (run, files, expected) => {
    expect((await steering(run, files)).files).toEqual(expected);
  });

  it("are not tests, and what a runner goes through are tests", async () => {
    const found = await steering("for t in cases/*.sh; do sh $t; done", { "cases/a.sh": "", "src/a.sh": "" });
    expect(found).toMatchObject({ files: [], tests: ["cases/a.sh"] });
    expect((await steering("node test/sum.test.js", { "test/sum.test.js": "" })).files).toEqual([]);
    expect((await steering("node test/run.js", { "test/run.js": "" })).files).toEqual(["test/run.js"]);
  });
});

describe("a change of a file that steers", () => {
  const changed = async (run: string, path: string, before: string, after: string) => {
    const { steering: found } = await steering(run, {
      [path]: before,
      "package.json": path === "package.json" ? before : "{}",
    });
    const steer = found.get(path);
    if (steer === undefined) throw new Error(`${path} does not steer ${run}`);
    return !steersTheSame({ path, kind: "modified", before, after }, steer);
  };
  const json = (difference: object) => JSON.stringify({ scripts: { test: "jest" }, version: "1.0.0", ...difference });

  it.each([
    ["a version and a dependency", json({ version: "2.0.0", devDependencies: { jest: "30" } }), false],
    ["a new script", json({ scripts: { test: "jest", release: "x" } }), false],
    ["the script that is run", json({ scripts: { test: "jest || true" } }), true],
    ["a script before it", json({ scripts: { test: "jest", pretest: "cp a b" } }), true],
    ["settings of a tool", json({ jest: { testMatch: [] } }), true],
    ["what cannot be read", "{", true],
  ])("of package.json: %s", async (_, after, expected) => {
    expect(await changed("npm test", "package.json", json({}), after)).toBe(expected);
  });

  it.each([
    ["pytest", "pyproject.toml", '[project]\nversion = "1"\n', '[project]\nversion = "2"\n', false],
    ["pytest", "pyproject.toml", "[tool.pytest.ini_options]\n", '[tool.pytest.ini_options]\naddopts = "-k x"\n', true],
    ["pytest", "pyproject.toml", "[tool.ruff]\n", "[tool.ruff]\nselect = []\n", false],
    ["ruff check", "pyproject.toml", "[tool.ruff]\n", "[tool.ruff]\nselect = []\n", true],
    ["cargo test", "Cargo.toml", "[dependencies]\n", '[dependencies]\na = "1"\n', false],
    ["cargo test", "Cargo.toml", "[lib]\n", "[lib]\ntest = false\n", true],
    ["go test ./...", "go.mod", "module a\n", "module a\nrequire b v1.0.0\n", false],
    ["go test ./...", "go.mod", "module a\n", "module a\nreplace b => ./b\n", true],
    ["make test", "Makefile", "test:\n\t./t\n", "# how\ntest:\n\t./t\n", false],
    ["make test", "Makefile", "test:\n\t./t\n", "test:\n\t-./t\n", true],
  ])("%s, %s: from %j to %j", async (run, path, before, after, expected) => {
    expect(await changed(run, path, before, after)).toBe(expected);
  });
});
