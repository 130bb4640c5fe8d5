import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** For tests that drive the built program: builds it when the source is newer, which `npm run check` has done already. */
export function ensureBuilt(): void {
  const stamp = join(root, "dist", "cli", "main.js");
  if (existsSync(stamp) && statSync(stamp).mtimeMs >= newest(join(root, "src"))) return;
  execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
}

function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith(".test.ts"),
  );
  return Math.max(...files.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs));
}
