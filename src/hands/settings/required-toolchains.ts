import { manifestOf, type ProjectFiles } from "./detected-check.js";

/* Which versions of toolchains a project asks for, in its own manifests. Nothing is run to find it. */

export interface RequiredToolchain {
  /** As people call it. */
  readonly tool: string;
  /** How it says its version. */
  readonly ask: readonly [string, ...string[]];
  readonly range: string;
  readonly because: string;
}

export async function findRequiredToolchains({ read }: Pick<ProjectFiles, "read">): Promise<RequiredToolchain[]> {
  const [go, cargo, rust, python, setup, pack, java] = await Promise.all(
    ["go.mod", "Cargo.toml", "rust-toolchain.toml", "pyproject.toml", "setup.cfg", "package.json", "pom.xml"].map(read),
  );
  const found: RequiredToolchain[] = [];
  const add = (tool: string, ask: RequiredToolchain["ask"], range: string | undefined, because: string) => {
    if (range !== undefined && range !== "") found.push({ tool, ask, range, because });
  };
  const goVersion = /^go\s+(\d+(?:\.\d+)*)/m.exec(go ?? "")?.[1];
  add("go", ["go", "version"], least(goVersion), "go.mod");
  const edition = /^rust-version\s*=\s*"([\d.]+)"/m.exec(cargo ?? "")?.[1];
  add("rust", ["rustc", "--version"], least(edition), "Cargo.toml rust-version");
  const channel = /^channel\s*=\s*"(\d[\d.]*)"/m.exec(rust ?? "")?.[1];
  add("rust", ["rustc", "--version"], least(channel), "rust-toolchain.toml");
  const requires = /^requires-python\s*=\s*["']([^"']+)["']/m.exec(python ?? "")?.[1];
  add("python", ["python3", "--version"], requires, "pyproject.toml requires-python");
  const older = /^python_requires\s*=\s*(.+)$/m.exec(setup ?? "")?.[1]?.trim();
  if (requires === undefined) add("python", ["python3", "--version"], older, "setup.cfg python_requires");
  const engines = manifestOf<{ engines: Record<string, unknown> }>(pack ?? null)?.engines;
  const node = typeof engines?.["node"] === "string" ? engines["node"] : undefined;
  add("node", ["node", "--version"], node, "package.json engines.node");
  const release = /<(?:maven\.compiler\.)?release>\s*(\d+)\s*</.exec(java ?? "")?.[1];
  add("java", ["javac", "-version"], least(release), "pom.xml");
  return found;
}

const least = (version: string | undefined) => (version === undefined ? undefined : `>=${version}`);
