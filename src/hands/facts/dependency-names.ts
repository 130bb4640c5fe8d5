/*
 * The names of dependencies in the manifests of many ecosystems, read leniently: a name that is missed costs a little
 * certainty, and nothing here may fail on a manifest that is half written.
 */

type Names = (text: string) => readonly string[];

const LONGEST_NAME = 200;
const LONGEST_LINE = 1_000;

/** Chooses the reader of dependencies for a manifest of this file name; null when the file is not a manifest. */
export function dependencyNames(file: string): Names | null {
  const name = file.slice(file.lastIndexOf("/") + 1);
  const read = BY_NAME[name] ?? BY_PATTERN.find(({ pattern }) => pattern.test(name))?.read;
  if (read === undefined) return null;
  return (text) => [...new Set(read(text))].filter((found) => found !== "" && found.length <= LONGEST_NAME);
}

const BY_NAME: Readonly<Record<string, Names>> = {
  "package.json": jsonKeys("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"),
  "composer.json": jsonKeys("require", "require-dev"),
  // Unity's packages.
  "manifest.json": jsonKeys("dependencies"),
  "pyproject.toml": (text) => [...tomlKeys(text), ...tomlRequirements(text)],
  Pipfile: tomlKeys,
  "Cargo.toml": tomlKeys,
  "go.mod": (text) => matches(text, /^(?:require)?\s*([\w.-]+\.[\w-]+\/\S+)\s+v\d/).flatMap(goNames),
  Gemfile: (text) => matches(text, /^\s*gem\s+["']([\w-]+)["']/),
  "pom.xml": (text) => matches(text, /<artifactId>([\w.-]+)<\/artifactId>/),
  "pubspec.yaml": (text) => matches(text, /^ {2}([a-z][\w]*):/),
  "environment.yml": (text) => matches(text, /^\s*-\s*([A-Za-z][\w.-]*)/),
};

const BY_PATTERN: readonly { readonly pattern: RegExp; readonly read: Names }[] = [
  { pattern: /^requirements[\w.-]*\.(?:txt|in)$/, read: (text) => matches(text, /^\s*([A-Za-z][\w.-]*)/) },
  {
    pattern: /^setup\.(?:py|cfg)$/,
    read: (text) => matches(text, /^\s*["']?([A-Za-z][\w.-]*)\s*(?:\[\w+\])?\s*[<>=~]=/),
  },
  { pattern: /^build\.gradle(?:\.kts)?$/, read: gradleNames },
  { pattern: /\.(?:cs|fs)proj$/, read: (text) => matches(text, /<PackageReference\s[^>]{0,200}?Include="([\w.-]+)"/) },
];

/** The first group of the pattern in each line. Long lines are passed over: no manifest that people write has them. */
function matches(text: string, pattern: RegExp): string[] {
  return linesOf(text).flatMap((line) => pattern.exec(line)?.[1] ?? []);
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.length <= LONGEST_LINE);
}

function jsonKeys(...fields: readonly string[]): Names {
  return (text) => {
    let manifest: unknown;
    try {
      manifest = JSON.parse(text);
    } catch {
      return [];
    }
    if (!isRecord(manifest)) return [];
    return fields.flatMap((field) => {
      const named = manifest[field];
      return isRecord(named) ? Object.keys(named) : [];
    });
  };
}

/** The keys of every table whose name speaks of dependencies or packages, and tables such as `[dependencies.serde]`. */
function tomlKeys(text: string): string[] {
  let inside = false;
  return linesOf(text).flatMap((line) => {
    const table = /^\s*\[\[?([^\]]+)\]/.exec(line)?.[1];
    if (table !== undefined) {
      const parts = table.split(".").map((part) => part.trim().replaceAll(/["']/g, ""));
      inside = /(?:^|-)(?:dependencies|packages)$/.test(parts.at(-1) ?? "");
      return /(?:^|-)dependencies$/.test(parts.at(-2) ?? "") ? (parts.at(-1) ?? []) : [];
    }
    const key = /^\s*["']?([A-Za-z][\w.-]*)["']?\s*=/.exec(line)?.[1];
    return inside && key !== undefined && key !== "python" ? key : [];
  });
}

/** Requirements in lists, as pyproject.toml has them: `"django>=5"`. */
function tomlRequirements(text: string): string[] {
  let inside = false;
  return linesOf(text).flatMap((line) => {
    const opens = /^\s*(?:dependencies|requires|[\w-]+)\s*=\s*\[/.exec(line);
    if (opens !== null) inside = true;
    else if (/^\s*\[/.test(line)) inside = false;
    if (!inside) return [];
    if (line.trimEnd().endsWith("]") && !/\[[\w,\s-]+\]\s*$/.test(line)) inside = false;
    return [...line.matchAll(/["']([A-Za-z][\w.-]*)\s*(?:\[[\w,\s-]*\])?\s*(?:[<>=~!;@ ][^"']*)?["']/g)].map(
      ([, name = ""]) => name,
    );
  });
}

/** `github.com/spf13/cobra/v2`: as it is written, by its owner and by its last part. */
function goNames(path: string): string[] {
  const plain = path.replace(/\/v\d+$/, "");
  const parts = plain.split("/");
  return [plain, parts.slice(1).join("/"), parts.at(-1) ?? ""];
}

/** `implementation("group:artifact:1.0")` and `id("com.android.application")`. */
function gradleNames(text: string): string[] {
  return linesOf(text).flatMap((line) => {
    const plugin = /\bid[\s(]+["']([\w.-]+)["']/.exec(line)?.[1];
    const [, group, artifact] = /["']([\w.-]+):([\w.-]+)(?::[^"']*)?["']/.exec(line) ?? [];
    return [plugin, group, artifact].filter((name) => name !== undefined);
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
