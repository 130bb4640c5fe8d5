import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Whether the files that git means are those around a folder: `core.worktree`, which an archive can bring along in its
 * `.git/config`, may name any other folder of the person.
 *
 * Contract: `top` is what git says of the folder; `place` is a real path.
 */
export async function isNearestCheckout(top: string, place: string): Promise<boolean> {
  const real = await realpath(top).catch(() => null);
  for (let at = place; ; at = dirname(at)) {
    if (at === real) return existsSync(join(at, ".git"));
    if (existsSync(join(at, ".git", "HEAD")) || dirname(at) === at) return false;
  }
}
