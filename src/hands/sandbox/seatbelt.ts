import { homedir } from "node:os";
import { join } from "node:path";

/*
 * The profile for macOS, written from its documentation and not yet run: macOS was not at hand. It lets a program read
 * the system, write its workspace and temporary folders, and reach no network.
 */

export interface Seatbelt {
  readonly workspace: string;
  readonly writable: "whole" | readonly string[];
  readonly home: string;
  readonly temporary: string;
  readonly argv: readonly string[];
}

export function seatbelt(options: Seatbelt): string[] {
  return ["/usr/bin/sandbox-exec", "-p", seatbeltProfile(options), ...options.argv];
}

export function seatbeltProfile({ workspace, writable, home, temporary }: Omit<Seatbelt, "argv">): string {
  const below = (path: string) => `(subpath ${quotePath(path)})`;
  const writes = writable === "whole" ? [workspace] : writable.map((path) => join(workspace, path));
  const hidden = [homedir(), "/private/var/root", "/Users", "/Volumes", "/private/etc/master.passwd"];
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-fork process-exec)",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow mach-lookup)",
    "(allow file-read*)",
    `(deny file-read* ${hidden.map(below).join(" ")})`,
    // The last rule that fits counts.
    `(allow file-read* ${[workspace, home, temporary].map(below).join(" ")})`,
    `(allow file-write* ${[...writes, home, temporary].map(below).join(" ")})`,
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    "(deny network*)",
  ].join("\n");
}

function quotePath(path: string): string {
  return `"${path.replace(/[\\"]/g, "\\$&")}"`;
}
