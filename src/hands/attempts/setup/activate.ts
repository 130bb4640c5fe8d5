import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { OpenSandbox } from "../../sandbox/open-sandbox.js";

/**
 * Variables for programs in a workspace where setup made a virtual environment: as after `activate`, its Python
 * and its programs are found first.
 */
export async function activationVariables(
  workspace: string,
  { root, path }: OpenSandbox,
): Promise<Readonly<Record<string, string>>> {
  for (const name of [".venv", "venv"]) {
    // A link out of the workspace is none that setup made.
    const found = await lstat(join(workspace, name)).catch(() => null);
    const settings = await lstat(join(workspace, name, "pyvenv.cfg")).catch(() => null);
    if (found?.isDirectory() === true && settings?.isFile() === true)
      return { VIRTUAL_ENV: `${root}/${name}`, PATH: `${root}/${name}/bin:${path}` };
  }
  return {};
}
