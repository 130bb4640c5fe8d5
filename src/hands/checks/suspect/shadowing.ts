import { posix } from "node:path";
import type { FileChange } from "./examined.js";
import { parsePackage } from "./package-scripts.js";
import { isTestFile } from "./test-files.js";

/* New files that stand where a language looks first for a module that tests take in from elsewhere. */

const PYTHON = new Set(
  (
    "pytest _pytest unittest doctest nose hypothesis mock assertpy sitecustomize usercustomize builtins sys os re json time " +
    "random math types typing inspect importlib logging traceback subprocess functools collections itertools datetime " +
    "contextlib dataclasses enum abc io ast string tempfile shutil pathlib operator copy decimal socket threading asyncio"
  ).split(" "),
);
const NODE = new Set(
  "assert chai expect should vitest jest mocha ava tap tape sinon jasmine uvu eslint typescript".split(" "),
);
const HEADERS = new Set(
  "assert.h check.h unity.h cmocka.h greatest.h munit.h catch.hpp doctest.h stdlib.h stdio.h".split(" "),
);
const RUBY = new Set("minitest.rb rspec.rb".split(" "));
/** Folders that hold what was installed: what a repository keeps of them comes before what is installed elsewhere. */
const INSTALLED = /(?:^|\/)(?:node_modules|site-packages|\.venv|venv|vendor)\//;

/** Why a new file, or a changed one among installed ones, may stand for something tests rely on; null when it does not. */
export function explainShadowing({ path, kind, after }: FileChange): string | null {
  if (kind === "deleted") return null;
  if (INSTALLED.test(path)) return "it lies among installed packages, which tests take in";
  if (kind !== "added") return null;
  const name = posix.basename(path);
  const folder = posix.dirname(path);
  const isFirst = folder === "." || folder === "src" || folder === "lib" || isTestFile(`${folder}/x`);
  if (name === "sitecustomize.py" || name === "usercustomize.py" || name.endsWith(".pth"))
    return "Python runs it before anything else";
  if (name.endsWith(".py") && isFirst && PYTHON.has(name.slice(0, -3)))
    return `it stands for the module ${name.slice(0, -3)}`;
  const parent = posix.dirname(folder);
  if (
    name === "__init__.py" &&
    PYTHON.has(posix.basename(folder)) &&
    (parent === "." || parent === "src" || isTestFile(`${parent}/x`))
  )
    return `it stands for the module ${posix.basename(folder)}`;
  if (HEADERS.has(name)) return `it stands for the header ${name}`;
  if (RUBY.has(name)) return `it stands for the library ${name}`;
  if (/(?:^|\/)org\/junit\//.test(path)) return "it stands for a class of JUnit";
  const packageName = name === "package.json" ? parsePackage(after)?.["name"] : undefined;
  return typeof packageName === "string" && NODE.has(packageName) ? `it stands for the package ${packageName}` : null;
}
