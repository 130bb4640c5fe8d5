/* Imports of tests, direct and indirect, read from the text of the files alone. */

export interface Imports {
  readonly isTest: (path: string) => boolean;
  /** Every file that a test leads to. */
  readonly reached: ReadonlySet<string>;
  /** Something on the way may load what its text does not name. */
  readonly isOpaque: boolean;
}

type Text = (path: string) => string | null;

// --------------------------------------------------------------------------------------------------------- JavaScript

const EXTENSIONS = ["", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", "/index.js", "/index.mjs"];
const MORE = [...EXTENSIONS, "/index.ts", "/index.tsx", "/index.cjs"];
const JS_IMPORT =
  /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire(?:\.resolve)?\s*\(\s*|\bmock\s*\(\s*)(?:"([^"\n]+)"|'([^'\n]+)'|`([^`$\n]+)`)/g;
/** Modules that are chosen when it runs, programs that are started, files that are read. */
const JS_OPAQUE =
  /\b(?:import|require)\s*\(\s*(?!["'`)])|\bimport\.meta\.glob|["'](?:node:)?(?:child_process|worker_threads|vm)["']|\b(?:execa|spawn|fork|globSync|readFileSync)\s*\(/;

export const isOfJavaScript = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path);
const isTestOfJavaScript = (path: string) =>
  /(?:^|\/)(?:tests?|__tests__|specs?)\/|[._-](?:test|spec)\.[cm]?[jt]sx?$/.test(path) ||
  /(?:^|\/)(?:vite|vitest|jest|playwright|karma)\.config\.|(?:^|\/)test\.[cm]?[jt]s$|\.mocharc\./.test(path);

export function importsOfJavaScript(paths: readonly string[], text: Text): Imports {
  const all = new Set(paths);
  const own = paths.filter((path) => /(?:^|\/)package\.json$/.test(path)).flatMap((path) => packageName(text(path)));
  const resolve = (from: string, name: string): string[] | null => {
    if (name.startsWith(".")) {
      const target = joinPath(from, name);
      const typed = target.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
      const found = [target, typed].flatMap((base) => MORE.map((end) => `${base}${end}`)).find((each) => all.has(each));
      return found === undefined ? [] : [found];
    }
    const isOwn = own.some((each) => name === each || name.startsWith(`${each}/`));
    return isOwn || /^(?:[@~]\/|#|src\/|\/)/.test(name) ? null : [];
  };
  return walkImports(paths.filter(isOfJavaScript), isTestOfJavaScript, text, (path, source) => {
    const named = [...source.matchAll(JS_IMPORT)].map(([, a, b, c]) => resolve(path, a ?? b ?? c ?? ""));
    const isOpaque = JS_OPAQUE.test(source) || named.includes(null);
    return { targets: named.flatMap((each) => each ?? []), isOpaque };
  });
}

function packageName(text: string | null): string[] {
  const [, name] = /^\s*"name"\s*:\s*"([^"]+)"/m.exec(text ?? "") ?? /"name"\s*:\s*"([^"]+)"/.exec(text ?? "") ?? [];
  return name === undefined ? [] : [name];
}

/** A relative path, from the folder of the file it stands in. */
function joinPath(from: string, name: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of name.split("/"))
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  return parts.join("/");
}

// ------------------------------------------------------------------------------------------------------------- Python

const PY_IMPORT = /^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)|import[ \t]+([\w., \t]+))/gm;
const PY_OPAQUE = /\b(?:importlib|__import__|subprocess|runpy|pkgutil|os\.system|exec\s*\(|multiprocessing)\b/;

export const isOfPython = (path: string): boolean => path.endsWith(".py");
const isTestOfPython = (path: string) => /(?:^|\/)(?:test_[^/]*|[^/]*_test|conftest)\.py$|(?:^|\/)tests?\//.test(path);

export function importsOfPython(paths: readonly string[], text: Text): Imports {
  const files = paths.filter(isOfPython);
  const modules = new Map<string, string[]>();
  for (const path of files)
    for (const name of moduleNames(path)) modules.set(name, [...(modules.get(name) ?? []), path]);
  const of = (module: string): string[] => {
    const parts = module.split(".");
    return parts.flatMap((_, i) => modules.get(parts.slice(0, i + 1).join(".")) ?? []);
  };
  return walkImports(files, isTestOfPython, text, (path, source) => {
    const targets = [...source.matchAll(PY_IMPORT)].flatMap(([, from, names = "", plain]) => {
      if (plain !== undefined) return plain.split(",").flatMap((each) => of(each.trim().split(/\s/)[0] ?? ""));
      const base = from?.startsWith(".") === true ? aroundOf(path, from) : [from ?? ""];
      const listed = names.replaceAll(/[()\\\n]/g, " ").split(",");
      const members = listed.map((each) => each.trim().split(/\s/)[0] ?? "").filter((each) => each !== "");
      return base.flatMap((each) => [...of(each), ...members.flatMap((one) => of(`${each}.${one}`))]);
    });
    return { targets, isOpaque: PY_OPAQUE.test(source) };
  });
}

/** A file may be imported from the root and from folders that are put on the way, such as `src`. */
function moduleNames(path: string): string[] {
  const parts = path.replace(/(?:\/__init__)?\.py$/, "").split("/");
  return parts.map((_, i) => parts.slice(i).join("."));
}

/** `from ..x import y` in a package. */
function aroundOf(path: string, from: string): string[] {
  const dots = /^\.+/.exec(from)?.[0].length ?? 0;
  const folder = path.split("/").slice(0, -dots);
  const rest = from.slice(dots);
  return [[...folder, ...(rest === "" ? [] : [rest])].join(".")];
}

// --------------------------------------------------------------------------------------------------------------- both

interface Read {
  readonly targets: readonly string[];
  readonly isOpaque: boolean;
}

function walkImports(
  files: readonly string[],
  isTest: (path: string) => boolean,
  text: Text,
  read: (path: string, source: string) => Read,
): Imports {
  const reached = new Set<string>();
  const open = files.filter(isTest);
  let isOpaque = false;
  const seen = new Set(open);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const source = text(path);
    // A file that cannot be read may import anything.
    const { targets, isOpaque: hides } = source === null ? { targets: [], isOpaque: true } : read(path, source);
    isOpaque ||= hides;
    for (const target of targets) {
      reached.add(target);
      if (seen.has(target)) continue;
      seen.add(target);
      open.push(target);
    }
  }
  return { isTest, reached, isOpaque };
}
