import { accessSync, constants } from "node:fs";
import { isAbsolute, join } from "node:path";

/*
 * The programs that build a sandbox run outside of it, with the rights of the Coordinator. They are found once, by
 * absolute path, and never through a relative entry of PATH: that could lead into a workspace.
 */

const USUAL = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"];

export function findProgram(name: string, path: string = process.env["PATH"] ?? ""): string | null {
  const folders = [...USUAL, ...path.split(":").filter(isAbsolute)];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
