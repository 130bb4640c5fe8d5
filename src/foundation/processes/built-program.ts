import { existsSync } from "node:fs";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The file of a program that Coordinator starts itself, named by its URL beside the module that starts it. Programs run as
 * plain JavaScript: where modules are run from their source, the program is the one that was built from it.
 */
export function builtProgram(url: URL): string {
  const file = fileURLToPath(url);
  const at = file.lastIndexOf(`${sep}src${sep}`);
  return existsSync(file) || at < 0 ? file : `${file.slice(0, at)}${sep}dist${sep}${file.slice(at + 5)}`;
}
