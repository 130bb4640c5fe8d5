import type { ProjectFiles } from "../detected-check.js";
import { joinBelow, type SetupPart } from "./part.js";

/*
 * Packages for Python: uv, Poetry, and pip in a virtual environment. Packages of a project are installed where its Python
 * is; the project itself has to be installed in the workspace, or it has no metadata and no entry points there.
 */

export interface PythonPlaces {
  /** The folders Python on this machine has its packages in; empty when nothing is known of them. */
  readonly sitePackages: readonly string[];
  readonly hasFolder: (path: string) => boolean;
}

/** Every way the packages of a folder could be installed, the best first; none when there is nothing to install. */
export async function pythonParts(
  folder: string,
  { read }: ProjectFiles,
  places: PythonPlaces | null,
): Promise<SetupPart[]> {
  const parts: SetupPart[] = [];
  const settings = await read("pyproject.toml");
  const at = (path: string) => joinBelow(folder, path);
  const common = { folder, keeps: [at(".venv")], installed: ".venv", unlocked: false, mounts: [] };
  if ((await read("uv.lock")) !== null)
    parts.push({
      ...common,
      program: "uv",
      run: "uv sync --offline --frozen",
      inputs: [at("pyproject.toml"), at("uv.lock")],
      caches: ["~/.cache/uv"],
      mounts: ["~/.local/share/uv/python"],
      because: at("uv.lock"),
      install: "uv sync --frozen",
      makes: "the packages of the lockfile in ~/.cache/uv",
      tried: false,
    });
  if ((await read("poetry.lock")) !== null)
    parts.push({
      ...common,
      program: "poetry",
      run: "POETRY_VIRTUALENVS_IN_PROJECT=1 POETRY_VIRTUALENVS_OPTIONS_SYSTEM_SITE_PACKAGES=1 poetry install --no-interaction",
      inputs: [at("pyproject.toml"), at("poetry.lock")],
      caches: ["~/.cache/pypoetry"],
      because: at("poetry.lock"),
      install: "poetry install --no-interaction",
      makes: "the packages of the lockfile in ~/.cache/pypoetry",
      tried: false,
    });
  const backend = backendOf(settings, (await read("setup.py")) !== null);
  if (backend === null) return parts;
  parts.push({
    ...common,
    program: "python3",
    run: installHere(),
    inputs: [at("pyproject.toml"), at("setup.py"), at("setup.cfg")],
    caches: [],
    because: at(settings === null ? "setup.py" : "pyproject.toml"),
    install: `python3 -m pip install ${backend.packages.join(" ")} && python3 -m pip install -e .`,
    makes: `${backend.packages.join(" and ")}, to build it with, and what it needs`,
    // Without what builds it the command cannot work.
    installed: null,
    tried: places === null || backend.modules.every((module) => isThere(module, places)),
  });
  return parts;
}

/** Whether the Python of this machine has what builds the project; true when that is not known. */
function isThere(module: string, { sitePackages, hasFolder }: PythonPlaces): boolean {
  return sitePackages.length === 0 || sitePackages.some((site) => hasFolder(`${site}/${module}`));
}

/**
 * A virtual environment that sees the packages of the Python it was made with, also when that one stands in a virtual
 * environment itself, and the project in it, without its dependencies and without a network.
 */
function installHere(): string {
  const site = "import sysconfig; print(sysconfig.get_path('purelib'))";
  return [
    "python3 -m venv --system-site-packages .venv",
    `python3 -c "${site}" > "$(.venv/bin/python -c "${site}")/outside.pth"`,
    ".venv/bin/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation -e .",
  ].join(" && ");
}

interface Backend {
  /** Folders in site-packages. */
  readonly modules: readonly string[];
  /** The names that pip uses for them. */
  readonly packages: readonly string[];
}

const BACKENDS: Readonly<Record<string, Backend>> = {
  flit_core: { modules: ["flit_core"], packages: ["flit_core"] },
  hatchling: { modules: ["hatchling"], packages: ["hatchling"] },
  setuptools: { modules: ["setuptools", "wheel"], packages: ["setuptools", "wheel"] },
  poetry: { modules: ["poetry/core"], packages: ["poetry-core"] },
  pdm: { modules: ["pdm/backend"], packages: ["pdm-backend"] },
};

/** Finds the build backend of the project; null when it cannot be installed, or is unknown. */
function backendOf(settings: string | null, hasSetup: boolean): Backend | null {
  const named = /^\s*build-backend\s*=\s*["']([\w.]+)/m.exec(settings ?? "")?.[1]?.split(".")[0];
  if (named !== undefined) return BACKENDS[named] ?? null;
  return hasSetup ? (BACKENDS["setuptools"] ?? null) : null;
}
