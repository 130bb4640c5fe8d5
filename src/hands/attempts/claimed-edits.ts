import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { AgentEvent } from "../agents/agent.js";
import type { Change } from "../../model/diff-gate.js";
import type { Quarantine } from "../workspace/quarantine.js";

/* The edits that an agent says it made. They are kept and compared, in both directions: git decides what was done. */

export interface ClaimedEdits {
  readonly hear: (event: AgentEvent) => void;
  /** Every path it named as changed. */
  readonly reported: () => string[];
  /** Paths it called changed that stand as they stood. Contract: asked while its workspace is still there. */
  readonly neverMade: (changes: readonly Change[], place: ClaimedPlace) => Promise<string[]>;
}

interface ClaimedPlace {
  readonly quarantine: Pick<Quarantine, "git" | "gitDir">;
  readonly base: string;
  readonly workspace: string;
}

export function claimedEdits(): ClaimedEdits {
  const reported = new Set<string>();
  const edited = new Set<string>();
  /** Named as written, and gone again since for all that can be known: by its own effect, or by some command. */
  const transient = new Set<string>();

  return {
    hear(event) {
      if (event.type !== "tool" || event.use.stage !== "deed") return;
      const { kind, paths } = event.use;
      for (const { path, access } of paths) if (access !== "read") reported.add(path);
      if (kind === "execute") for (const path of edited) transient.add(path);
      // A command's places are not a claim, and an edit that is only under way may still fail.
      if (event.status !== "completed" || !EDITING.has(kind)) return;
      for (const { path, access } of paths) {
        if (access === "read" || !isInside(path)) continue;
        edited.add(path);
        if (access === "delete") transient.add(path);
        else transient.delete(path);
      }
    },
    reported: () => [...reported].sort(),
    async neverMade(changes, { quarantine, base, workspace }) {
      const real = new Set(changes.map(({ path }) => path));
      const doubtful = [...edited].filter((path) => !real.has(path)).sort();
      if (doubtful.length === 0) return [];
      const before = await presentIn(quarantine, base, doubtful);
      const unmade: string[] = [];
      for (const path of doubtful) {
        const stands = await lstat(join(workspace, path)).then(
          () => true,
          () => false,
        );
        // Standing now and not before, it was made and is one that git ignores; the other way round, it was removed.
        if (before.has(path) ? stands : !stands && !transient.has(path)) unmade.push(path);
      }
      return unmade;
    },
  };
}

const EDITING: ReadonlySet<string> = new Set(["edit", "delete", "move"]);

const isInside = (path: string) => !path.startsWith("/") && path !== "." && !path.split("/").includes("..");

async function presentIn(
  { git, gitDir }: ClaimedPlace["quarantine"],
  base: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const listed = await git.must("Reading the base", {
    gitDir,
    args: ["ls-tree", "-z", "--name-only", "--full-tree", base, "--", ...paths],
  });
  return new Set(listed.toString("utf8").split("\0"));
}
