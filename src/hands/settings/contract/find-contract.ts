import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export const CONTRACT_FILE = "governance/contracts/coordinator.yaml";

/** The contract of the project somebody stands in: up to the root of its repository. Null when it has none. */
export function findContract(from: string): string | null {
  for (let at = resolve(from); ; at = dirname(at)) {
    const file = join(at, CONTRACT_FILE);
    if (existsSync(file)) return file;
    if (existsSync(join(at, ".git")) || dirname(at) === at) return null;
  }
}
