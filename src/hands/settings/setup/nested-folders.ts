import type { ProjectFiles } from "../detected-check.js";

/* Folders of a repository that have packages of their own, beside those of its root. */

/** Files that say which versions of its packages a project has. */
export const LOCKFILES: ReadonlySet<string> = new Set([
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
  "uv.lock",
  "poetry.lock",
  "Cargo.lock",
  "composer.lock",
  "Gemfile.lock",
]);
const MARKS = new Set([...LOCKFILES, "go.mod", "pom.xml"]);
/** Folders whose packages nobody installs to work on the project. */
const PASSED_OVER =
  /^(?:[._].*|node_modules|vendor|third_party|target|dist|build|testdata|fixtures?|__fixtures__|__tests__|tests?|examples?|samples?|demos?|templates?|benchmarks?|docs?|e2e)$/i;
const DEEPEST = 3;
const MOST_LOOKED_AT = 400;
const MOST_FOLDERS = 12;

/** Contract: at most some folders, those nearest to the root first. */
export async function nestedFolders({ list }: Pick<ProjectFiles, "list">): Promise<string[]> {
  const found: string[] = [];
  let level: readonly string[] = ["."];
  let looked = 0;
  // A parent whose build names its modules takes them with it.
  const owned = new Set<string>();
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (++looked > MOST_LOOKED_AT) return found;
      const names = [...(await list(folder))].sort();
      const marks = names.filter((name) => MARKS.has(name));
      if (depth > 0 && marks.some((mark) => !isOwned(folder, mark, owned))) found.push(folder);
      if (found.length >= MOST_FOLDERS) return found;
      for (const mark of marks) if (mark === "pom.xml" || mark === "Cargo.lock") owned.add(`${folder}\0${mark}`);
      for (const name of names)
        if (!PASSED_OVER.test(name) && !name.includes(".")) next.push(folder === "." ? name : `${folder}/${name}`);
    }
    level = next;
  }
  return found;
}

function isOwned(folder: string, mark: string, owned: ReadonlySet<string>): boolean {
  const parts = folder.split("/");
  return [".", ...parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join("/"))].some((above) =>
    owned.has(`${above}\0${mark}`),
  );
}
