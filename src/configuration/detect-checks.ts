import type { Check } from "../model/check.js";
import { Check as CheckSchema } from "../model/check.js";

/* The checks a project already has, told from its manifests. Nothing is run to find them, and nothing is guessed. */

export interface DetectedCheck {
  readonly check: Check;
  /** Where it was seen. */
  readonly because: string;
}

/** What detection needs of a repository: the text of a file at its root, or null. */
export type ReadRootFile = (name: string) => Promise<string | null>;

export async function detectChecks(read: ReadRootFile): Promise<DetectedCheck[]> {
  const found = [
    ...fromPackageJson(await read("package.json"), await packageManager(read)),
    ...fromPython(
      await read("pyproject.toml"),
      await read("setup.cfg"),
      await read("pytest.ini"),
      await read("tox.ini"),
    ),
    ...((await read("go.mod")) === null
      ? []
      : [
          told("test", "test", "go test -json ./...", "go.mod"),
          told("vet", "lint", "go vet ./...", "go.mod"),
          told("build", "build", "go build ./...", "go.mod"),
        ]),
    ...((await read("Cargo.toml")) === null
      ? []
      : [
          told("test", "test", "cargo test --offline", "Cargo.toml"),
          told("build", "build", "cargo build --offline", "Cargo.toml"),
        ]),
  ];
  return found.length > 0 ? unique(found) : fromMakefile(await read("Makefile"));
}

const SCRIPTS: readonly (readonly [name: string, kind: Check["kind"], scripts: readonly string[]])[] = [
  ["test", "test", ["test", "test:unit"]],
  ["lint", "lint", ["lint", "eslint"]],
  ["types", "types", ["types", "typecheck", "type-check", "tsc", "check-types"]],
  ["build", "build", ["build"]],
];

function fromPackageJson(text: string | null, manager: string): DetectedCheck[] {
  const scripts = scriptsOf(text);
  return SCRIPTS.flatMap(([name, kind, candidates]): DetectedCheck[] => {
    const script = candidates.find(
      (candidate) => Object.hasOwn(scripts, candidate) && !isPlaceholder(scripts[candidate]),
    );
    return script === undefined ? [] : [told(name, kind, `${manager} run ${script}`, `package.json scripts.${script}`)];
  });
}

function scriptsOf(text: string | null): Readonly<Record<string, string>> {
  if (text === null) return {};
  try {
    const value = JSON.parse(text) as { scripts?: unknown };
    return typeof value.scripts === "object" && value.scripts !== null ? (value.scripts as Record<string, string>) : {};
  } catch {
    return {};
  }
}

/** What `npm init` puts there is no test. */
function isPlaceholder(script: string | undefined): boolean {
  return typeof script !== "string" || /no test specified/.test(script);
}

async function packageManager(read: ReadRootFile): Promise<string> {
  if ((await read("pnpm-lock.yaml")) !== null) return "pnpm";
  if ((await read("yarn.lock")) !== null) return "yarn";
  return (await read("bun.lock")) === null ? "npm" : "bun";
}

function fromPython(pyproject: string | null, ...others: readonly (string | null)[]): DetectedCheck[] {
  const texts = [pyproject, ...others].filter((text) => text !== null);
  if (texts.length === 0) return [];
  const all = texts.join("\n");
  const seen = (pattern: RegExp) => pattern.test(all);
  return [
    ...(seen(/pytest/) ? [told("test", "test", "python3 -m pytest -v", "pytest in the project's settings")] : []),
    ...(seen(/\bruff\b/) ? [told("lint", "lint", "ruff check .", "ruff in the project's settings")] : []),
    ...(seen(/\bmypy\b/) ? [told("types", "types", "mypy .", "mypy in the project's settings")] : []),
  ];
}

function fromMakefile(text: string | null): DetectedCheck[] {
  if (text === null) return [];
  const targets = new Set([...text.matchAll(/^([A-Za-z][\w-]*)\s*:(?!=)/gm)].map(([, name]) => name));
  return SCRIPTS.flatMap(([name, kind]) =>
    targets.has(name) ? [told(name, kind, `make ${name}`, `Makefile target ${name}`)] : [],
  );
}

function told(name: string, kind: Check["kind"], run: string, because: string): DetectedCheck {
  return { check: CheckSchema.parse({ name, kind, run }), because };
}

/** A repository of two languages has two tests; each check has a name of its own. */
function unique(found: readonly DetectedCheck[]): DetectedCheck[] {
  const names = new Set<string>();
  return found.map(({ check, because }) => {
    let { name } = check;
    for (let n = 2; names.has(name); n++) name = `${check.name}_${n}`;
    names.add(name);
    return { check: { ...check, name }, because };
  });
}
