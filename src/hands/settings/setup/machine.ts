import { statSync } from "node:fs";
import { join } from "node:path";
import { readdirSync } from "../../../foundation/files/read-files.js";
import { installationOf } from "../find-tools.js";
import type { PythonPlaces } from "./python.js";

/* Programs and packages installed on this machine, found by looking only. */

export interface Machine {
  readonly path: string;
  readonly home: string;
  /** The repository, which may name versions of its own. */
  readonly root?: string;
}

export function hasFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Where the Python that a sandbox would find has its packages. */
export function pythonPlaces({ path, home, root = "/" }: Machine): PythonPlaces {
  const prefix = installationOf("python3", { path, home, root });
  return { sitePackages: prefix === null ? [] : sitesIn(prefix), hasFolder };
}

function sitesIn(prefix: string): string[] {
  const listPythons = (folder: string) => {
    try {
      return readdirSync(folder).filter((name) => name.startsWith("python3"));
    } catch {
      return [];
    }
  };
  return ["lib", "local/lib"].flatMap((lib) =>
    listPythons(join(prefix, lib)).flatMap((version) =>
      ["site-packages", "dist-packages"].map((site) => join(prefix, lib, version, site)),
    ),
  );
}
