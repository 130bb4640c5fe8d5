import { WHICH_RUN } from "../bench.js";
import { edited, type Ecosystem, replaced, withSubmodule } from "../ecosystem.js";

/* Node.js: tests by node:test behind a script of npm, a lockfile, no packages. */

const SOURCE = `export const add = (a, b) => a + b;
export const double = (a) => a * 2;
`;
const HALF = "export const half = (a) => a / 3;\n";
const tests = (of: string, more = "") => `import assert from "node:assert/strict";
import { test } from "node:test";
import * as sums from "${of}";

test("adds", () => assert.equal(sums.add(2, 3), 5));
test("doubles", () => assert.equal(sums.double(4), 8));
${more}`;
const HALVES = `test("halves", () => assert.equal(sums.half(8), 4));\n`;
const NOW_AND_THEN = `test("now and then", () => assert.equal(Number(process.env.${WHICH_RUN}) % 2, 0));\n`;

const manifest = (test?: string, more: object = {}) =>
  `${JSON.stringify({ name: "sums", version: "1.0.0", type: "module", ...(test === undefined ? {} : { scripts: { test } }), ...more }, null, 2)}\n`;
const lock = `${JSON.stringify({ name: "sums", version: "1.0.0", lockfileVersion: 3, requires: true, packages: { "": { name: "sums", version: "1.0.0" } } }, null, 2)}\n`;
const RUN = "node --test";
const own = { "package.json": manifest(RUN), "package-lock.json": lock, ".gitignore": "node_modules/\n" };

const green = { ...own, "src/sums.js": SOURCE, "test/sums.test.js": tests("../src/sums.js") };

const member = (name: string) =>
  `${JSON.stringify({ name, version: "1.0.0", type: "module", scripts: { test: RUN } }, null, 2)}\n`;
const monorepo = {
  "package.json": manifest(undefined, { private: true, workspaces: ["packages/*"] }),
  "package-lock.json": `${JSON.stringify({
    name: "sums",
    version: "1.0.0",
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": { name: "sums", version: "1.0.0", workspaces: ["packages/*"] },
      "node_modules/other": { resolved: "packages/other", link: true },
      "node_modules/sums-core": { resolved: "packages/core", link: true },
      "packages/core": { name: "sums-core", version: "1.0.0" },
      "packages/other": { version: "1.0.0" },
    },
  })}\n`,
  ".gitignore": "node_modules/\n",
  "packages/core/package.json": member("sums-core"),
  "packages/core/src/sums.js": SOURCE,
  "packages/core/test/sums.test.js": tests("../src/sums.js"),
  "packages/other/package.json": member("other"),
  "packages/other/test/other.test.js": `import { test } from "node:test";\ntest("stands alone", () => undefined);\n`,
};

const sourceOf = (base: object) => ("packages/core/src/sums.js" in base ? "packages/core/src/sums.js" : "src/sums.js");
const testsOf = (base: object) =>
  "packages/core/test/sums.test.js" in base ? "packages/core/test/sums.test.js" : "test/sums.test.js";
const manifestOf = (base: object) =>
  "packages/core/package.json" in base ? "packages/core/package.json" : "package.json";

export const node: Ecosystem = {
  name: "node",
  needs: ["npm"],
  bases: {
    green: { files: green },
    red: {
      files: { ...green, "src/sums.js": SOURCE + HALF, "test/sums.test.js": tests("../src/sums.js", HALVES) },
    },
    "does not compile": { files: { ...green, "src/sums.js": `${SOURCE}export const half = ;\n` } },
    "missing tool": { files: { ...green, "package.json": manifest(`no-such-linter && ${RUN}`) } },
    "no tests": { files: { ...own, "package.json": manifest(), "src/sums.js": SOURCE } },
    flaky: { files: { ...green, "test/sums.test.js": tests("../src/sums.js", NOW_AND_THEN) } },
    monorepo: { files: monorepo },
    submodule: {
      files: {
        ...green,
        "test/sums.test.js": tests("../src/sums.js").replace(
          /^/,
          'import { largest } from "../vendor/other/limits.js";\n',
        ),
      },
      prepare: withSubmodule("limits.js", "export const largest = 1000;\n"),
    },
  },
  changes: {
    good: (base) => ({
      [sourceOf(base)]: `${base[sourceOf(base)]}export const triple = (a) => a * 3;\n`,
      ...(testsOf(base) in base
        ? { [testsOf(base)]: `${base[testsOf(base)]}test("triples", () => assert.equal(sums.triple(2), 6));\n` }
        : {}),
    }),
    harmful: (base) => edited(base, sourceOf(base), "a + b", testsOf(base) in base ? "a - b" : "a +"),
    removed: (base) => ({
      ...edited(base, sourceOf(base), "a + b", "a - b"),
      ...edited(base, testsOf(base), /^test\("adds".*\n/m, ""),
    }),
    skipped: (base) => ({
      ...edited(base, sourceOf(base), "a + b", "a - b"),
      ...edited(base, testsOf(base), 'test("adds"', 'test.skip("adds"'),
    }),
    loosened: (base) => ({
      ...edited(base, sourceOf(base), "a + b", "a - b"),
      [manifestOf(base)]:
        testsOf(base) in base
          ? replaced(base[manifestOf(base)], RUN, `${RUN} --test-name-pattern=doubles`)
          : manifest("true"),
    }),
    mended: (base) => {
      if ((base["package.json"] ?? "").includes("no-such-linter"))
        return edited(base, "package.json", "no-such-linter && ", "");
      return base["src/sums.js"]?.includes("half = ;") === true
        ? edited(base, "src/sums.js", "half = ;", "half = (a) => a / 2;")
        : edited(base, "src/sums.js", "a / 3", "a / 2");
    },
  },
};
