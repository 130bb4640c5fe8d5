import { posix } from "node:path";
import { compileGlob } from "../../../foundation/globs/glob.js";
import type { ProjectView } from "./examined.js";
import { isPackageKey, isTool } from "./tools.js";

/* The scripts of package.json files: which ones a command runs, what they call, and what of such a file steers checks. */

interface PackageCommand {
  readonly file: string;
  /** Null where a program is run that may have its settings there. */
  readonly script: string | null;
  readonly folder: string;
}

const MANAGERS = new Set(["npm", "pnpm", "yarn", "bun"]);
const SERIES = new Set(["npm-run-all", "npm-run-all2", "run-s", "run-p", "concurrently", "wireit"]);
const ALL =
  /^(?:-r|--recursive|-ws|--workspaces|-w|--workspace|--filter|-F|workspaces?|foreach)$|^--(?:workspace|filter)=/;
const IN_FOLDER = /^(?:--prefix|-C|--dir|--cwd)$/;

export async function packageCommands(
  name: string,
  args: readonly string[],
  place: string,
  view: ProjectView,
): Promise<PackageCommand[]> {
  const isManager = MANAGERS.has(name);
  const inFolder = args.find((_, index) => IN_FOLDER.test(args[index - 1] ?? ""));
  const home = isManager && inFolder !== undefined ? posix.join(place, inFolder) : place;
  const nearest = nearestPackage(home, view);
  const files =
    isManager && args.some((arg) => ALL.test(arg))
      ? [...view.paths].filter((path) => posix.basename(path) === "package.json" && !path.includes("node_modules/"))
      : nearest === null
        ? []
        : [nearest];
  const found = files.map((file) => ({ file, folder: posix.dirname(file) === "." ? "" : posix.dirname(file) }));
  if (isManager) {
    const script = scriptOf(args);
    return script === null ? [] : found.map((each) => ({ ...each, script }));
  }
  if (SERIES.has(name)) {
    const wanted = args.filter((arg) => !arg.startsWith("-")).map((arg) => arg.replace(/^npm:/, ""));
    return found.flatMap((each) => wanted.map((script) => ({ ...each, script })));
  }
  return isTool(name) ? found.map((each) => ({ ...each, script: null })) : [];
}

function nearestPackage(place: string, { paths }: ProjectView): string | null {
  for (let folder = place; ; folder = posix.dirname(folder)) {
    const file = folder === "" || folder === "." ? "package.json" : `${folder}/package.json`;
    if (paths.has(file)) return file;
    if (file === "package.json") return null;
  }
}

function scriptOf(args: readonly string[]): string | null {
  const words = args.filter(
    (arg, index) =>
      !arg.startsWith("-") && !/^(?:--prefix|-C|--dir|--cwd|-w|--workspace|--filter|-F)$/.test(args[index - 1] ?? ""),
  );
  const [first, second] = words;
  if (first === undefined) return null;
  if (first === "t" || first === "tst") return "test";
  if (first === "run" || first === "run-script" || first === "rum") return second ?? null;
  if (first === "workspaces" || first === "workspace" || first === "foreach") return words.at(-1) ?? null;
  return /^(?:install|ci|i|add|exec|dlx|x|create|init|publish|pack|audit|config|set)$/.test(first) ? null : first;
}

type Json = Readonly<Record<string, unknown>>;

export function parsePackage(text: string | null): Json | null {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

const scriptsOf = (json: Json | null): Json => {
  const scripts = json?.["scripts"];
  return typeof scripts === "object" && scripts !== null ? (scripts as Json) : {};
};

/** The lines of a script with what is run before and after it, and the names of all of them. */
export async function readPackage(
  file: string,
  wanted: string,
  view: ProjectView,
): Promise<{ readonly lines: readonly string[]; readonly used: readonly string[] }> {
  const scripts = scriptsOf(parsePackage(await view.read(file)));
  const fits = compileGlob(wanted.replaceAll(":", "/"));
  const names = Object.keys(scripts).filter((name) => name === wanted || fits(name.replaceAll(":", "/")));
  const used = names.flatMap((name) => [`pre${name}`, name, `post${name}`]);
  const lines = used.flatMap((name) => {
    const line = scripts[name];
    return typeof line === "string" ? [line] : [];
  });
  return { lines: lines.length === 0 ? [wanted] : lines, used };
}

/** Selects the parts of a package.json that steer checks: the scripts they run, and the settings of tools. */
export function steeringPart(json: Json, scripts: ReadonlySet<string>): Json {
  const own = scriptsOf(json);
  return {
    scripts: Object.fromEntries(Object.entries(own).filter(([name]) => scripts.has(name))),
    ...Object.fromEntries(Object.entries(json).filter(([key]) => isPackageKey(key))),
  };
}

/** The file of the result with what steers checks as the base has it. */
export function composeSteered(base: Json, result: Json, scripts: ReadonlySet<string>): Json {
  const others = Object.fromEntries(Object.entries(result).filter(([key]) => !isPackageKey(key)));
  const kept = Object.fromEntries(Object.entries(scriptsOf(result)).filter(([name]) => !scripts.has(name)));
  const part = steeringPart(base, scripts);
  return { ...others, ...part, scripts: { ...kept, ...(part["scripts"] as Json) } };
}
