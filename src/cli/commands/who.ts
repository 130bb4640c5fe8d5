import { spawnSync } from "node:child_process";
import { userInfo } from "node:os";

/** Who decides: the name they gave, else git's, else the system's. */
export function whoDecides(given: string | undefined): string {
  return clean(given) ?? clean(gitName()) ?? clean(systemName()) ?? "somebody";
}

function clean(name: string | undefined): string | null {
  const line = name?.replaceAll(/\s+/g, " ").trim() ?? "";
  return line === "" ? null : line.slice(0, 100);
}

function gitName(): string | undefined {
  const asked = spawnSync("git", ["config", "--get", "user.name"], { encoding: "utf8", timeout: 5000 });
  return asked.status === 0 ? asked.stdout : undefined;
}

function systemName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // A process may run under a number nobody has named.
    return undefined;
  }
}
