import type { ProjectFiles } from "../detected-check.js";

/* Packages below the root that no workspace of the root takes care of. */

const MANIFESTS = [
  "package.json",
  "pyproject.toml",
  "setup.py",
  "go.mod",
  "Cargo.toml",
  "pom.xml",
  "composer.json",
  "Gemfile",
];

/** Folders where a manifest belongs to somebody else, or to an example. */
const PASSED_OVER =
  /^(?:\..*|node_modules|vendor|third_party|target|dist|build|out|_?examples?|samples?|fixtures?|testdata|docs?|website|playground|bench(?:mark)?s?|fuzz(?:ing)?|templates?|tests?|__tests__)$/;

const DEEPEST = 3;
const MOST_FOLDERS = 500;
const MOST_PACKAGES = 12;

export interface NestedPackage {
  readonly folder: string;
  readonly manifests: readonly string[];
}

/** Contract: looks at no more than some hundred folders, the nearest first. Of a repository that is one large package, none. */
export async function nestedPackages({ list }: Pick<ProjectFiles, "list">): Promise<NestedPackage[]> {
  const found: NestedPackage[] = [];
  let level = ["."];
  let looked = 0;
  for (let depth = 1; depth <= DEEPEST && level.length > 0; depth++) {
    const next: string[] = [];
    for (const parent of level) {
      for (const name of [...(await list(parent))].sort()) {
        if (PASSED_OVER.test(name) || /\.\w+$/.test(name) || looked++ > MOST_FOLDERS) continue;
        const folder = parent === "." ? name : `${parent}/${name}`;
        const inside = await list(folder);
        if (inside.length === 0) continue;
        const manifests = MANIFESTS.filter((each) => inside.includes(each));
        if (manifests.length > 0) found.push({ folder, manifests });
        next.push(folder);
      }
    }
    level = next;
  }
  return found.slice(0, MOST_PACKAGES);
}

/** The files of a repository as they are seen from one of its folders. */
export function filesBelow({ read, list }: ProjectFiles, folder: string): ProjectFiles {
  if (folder === ".") return { read, list };
  return {
    read: (path) => read(`${folder}/${path}`),
    list: (path) => list(path === "." ? folder : `${folder}/${path}`),
  };
}
