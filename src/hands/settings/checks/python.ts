import { type DetectedCheck, type ProjectFiles, detectedCheck } from "../detected-check.js";
import type { CiCommand } from "./ci-commands.js";
import { kindOfCommand, withoutWrappers } from "./command-kind.js";
import { noxCommands } from "./nox.js";
import { toxCommands } from "./tox.js";

/* Checks of a Python project: what its CI, its tox and its nox run, then pytest or unittest where the tests speak of them. */

const SETTINGS = [
  "pyproject.toml",
  "setup.cfg",
  "setup.py",
  "pytest.ini",
  "tox.ini",
  "noxfile.py",
  "requirements.txt",
  "requirements-dev.txt",
  "dev-requirements.txt",
];

export async function fromPython(files: ProjectFiles, ci: readonly CiCommand[]): Promise<DetectedCheck[]> {
  const texts = await Promise.all(SETTINGS.map(files.read));
  if (texts.every((text) => text === null)) return [];
  const all = texts.join("\n");
  const named = [
    ...ci.map(({ run, because }) => ({ run, because: `${because}: ${run}` })),
    ...(await toxCommands(files)),
    ...(await noxCommands(files)),
  ];
  return [...(await testOf(files, named, all)), ...lintOf(all, named), ...(await typesOf(files, all, named))];
}

interface Named {
  readonly run: string;
  readonly because: string;
}

async function testOf(files: ProjectFiles, named: readonly Named[], settings: string): Promise<DetectedCheck[]> {
  const { folder, text } = await testsIn(files);
  // A package below src/ is found only when it is installed, which it is not in a workspace.
  const inside = await Promise.all((await files.list("src")).map((name) => files.read(`src/${name}/__init__.py`)));
  const isBelowSrc = inside.some((found) => found !== null);
  const script = await testScript(files, named);
  if (script !== null) return [script];
  const calls = named.filter(({ run }) => /^(?:py\.?test)$/.test(withoutWrappers(run)[0] ?? ""));
  // All tests rather than those of one environment.
  const whole = await Promise.all(calls.map(async ({ run }) => (await pathsOf(run, files)) === ""));
  const pytest = calls.find((_, i) => whole[i] === true) ?? calls[0];
  if (pytest !== undefined || /pytest/.test(settings) || /^\s*(?:import|from) pytest\b/m.test(text)) {
    const because = pytest?.because ?? "pytest in the project's settings or tests";
    const paths = pytest === undefined ? "" : await pathsOf(pytest.run, files);
    const plain = isBelowSrc ? "PYTHONPATH=src" : "";
    const installed = describeInstallation(settings, isBelowSrc);
    const check = (before: string) =>
      detectedCheck("test", "test", `${before} python3 -m pytest -v${paths}`.trim(), because);
    return [{ ...check(plain), instead: installed === null ? [] : [check(installed)] }];
  }
  if (folder === null) return [];
  const top = (await files.read(`${folder}/__init__.py`)) === null ? "" : " -t .";
  const python = isBelowSrc ? "PYTHONPATH=src python3" : "python3";
  return [detectedCheck("test", "test", `${python} -m unittest discover -v -s ${folder}${top}`, `tests in ${folder}`)];
}

/** A project's own program that runs its tests, as its CI calls it or where such programs usually are. */
async function testScript(files: ProjectFiles, named: readonly Named[]): Promise<DetectedCheck | null> {
  for (const { run, because } of named) {
    const [, script] =
      /^python3?\s+(?:-\S+\s+)*((?:[\w.-]+\/)*(?:run_?)?tests?\w*\.py|(?:[\w.-]+\/)*runtests\.py)\b/.exec(run) ?? [];
    if (script !== undefined && (await files.read(script)) !== null)
      return detectedCheck("test", "test", run.replace(/^python\b/, "python3"), because);
  }
  for (const script of ["tests/runtests.py", "runtests.py", "run_tests.py", "tests/run.py"])
    if ((await files.read(script)) !== null) {
      const [folder = "", file = script] = script.includes("/") ? script.split("/") : ["", script];
      const run = folder === "" ? `python3 ${file}` : `PYTHONPATH=. python3 ${script}`;
      return detectedCheck("test", "test", run, script);
    }
  return null;
}

/** Tests that ask for the version of their package need it to look installed: what pip would write of it, and no more. */
function describeInstallation(settings: string, isBelowSrc: boolean): string | null {
  const name = /^name\s*=\s*["']([\w.-]+)["']/m.exec(settings)?.[1];
  if (name === undefined) return null;
  const version = /^version\s*=\s*["']([\w.+!-]+)["']/m.exec(settings)?.[1] ?? "0";
  const folder = `/tmp/metadata/${name.replaceAll(/[-.]+/g, "_")}-${version}.dist-info`;
  const text = String.raw`Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`;
  const path = isBelowSrc ? "src:/tmp/metadata" : ".:/tmp/metadata";
  return `mkdir -p ${folder} && printf '${text}' > ${folder}/METADATA && PYTHONPATH=${path}`;
}

/** Of a command of pytest only which tests: its options often need plugins that are not there. */
async function pathsOf(run: string, { read, list }: ProjectFiles): Promise<string> {
  const words = withoutWrappers(run).slice(1);
  const found: string[] = [];
  for (const word of words)
    if (
      /^[\w./-]+$/.test(word) &&
      !word.startsWith("-") &&
      ((await read(word)) !== null || (await list(word)).length > 0)
    )
      found.push(word);
  return found.map((word) => ` ${word}`).join("");
}

function lintOf(settings: string, named: readonly Named[]): DetectedCheck[] {
  const own = named.find(
    ({ run }) => kindOfCommand(run) === "lint" && /^(?:ruff|flake8|pylint)$/.test(withoutWrappers(run)[0] ?? ""),
  );
  if (own !== undefined) return [detectedCheck("lint", "lint", withoutWrappers(own.run).join(" "), own.because)];
  if (/^\[tool\.ruff|\bruff\b/m.test(settings))
    return [detectedCheck("lint", "lint", "ruff check .", "ruff in the project's settings")];
  return /^\[flake8\]/m.test(settings)
    ? [detectedCheck("lint", "lint", "flake8", "flake8 in the project's settings")]
    : [];
}

/** mypy checks the paths in its settings; only without any it needs them as arguments. */
async function typesOf({ read }: ProjectFiles, settings: string, named: readonly Named[]): Promise<DetectedCheck[]> {
  const own = named.find(({ run }) => /^(?:mypy|pyright)$/.test(withoutWrappers(run)[0] ?? ""));
  if (own !== undefined) return [detectedCheck("types", "types", withoutWrappers(own.run).join(" "), own.because)];
  const ini = await read("mypy.ini");
  if (!/\bmypy\b/.test(settings) && ini === null) return [];
  const section = /^\[(?:tool\.)?mypy\]\n((?:(?!^\[)[\s\S])*)/m.exec(`${ini ?? ""}\n${settings}`)?.[1] ?? "";
  const names = /^(?:files|packages|modules)\s*=/m.test(section);
  return [detectedCheck("types", "types", names ? "mypy" : "mypy .", "mypy in the project's settings")];
}

/** Where tests for `unittest` are, and what a few of them say. */
async function testsIn({ list, read }: ProjectFiles): Promise<{ folder: string | null; text: string }> {
  for (const folder of ["tests", "test", "."]) {
    const names = (await list(folder)).filter((name) => /^test_\w+\.py$|_test\.py$/.test(name)).sort();
    const texts = await Promise.all(
      names.slice(0, 20).map((name) => read(folder === "." ? name : `${folder}/${name}`)),
    );
    if (names.length > 0) return { folder, text: texts.join("\n") };
  }
  return { folder: null, text: "" };
}
