import { createHash } from "node:crypto";

/** The id of the project at `root`: `prj_` and the beginning of the checksum of the path. Contract: pure. */
export function projectId(root: string): string {
  return `prj_${createHash("sha256").update(root).digest("hex").slice(0, 12)}`;
}
