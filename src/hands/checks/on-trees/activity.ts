import { join } from "node:path";
import { z } from "zod";
import { readFileSync, readdirSync } from "../../../foundation/files/read-files.js";
import { mkdirSync, rmSync, writeFileSync } from "../../../foundation/files/write-files-sync.js";
import { withoutSecrets } from "../../../foundation/files/known-secrets.js";
import { TestCounter } from "../count-tests.js";
import type { CheckObserver } from "../observe.js";

/*
 * Activities: a small file for each check or setup that runs right now, for people who wait, under
 * `.coordinator/activity/RUN`. It is written by anyone who does it and read by anyone who watches; nothing is ever decided by
 * it, and the log knows nothing of it.
 */

const Activity = z.object({
  /** `test`, `setup`: the name it has in the settings. */
  what: z.string(),
  command: z.string(),
  /** The tree it runs on: `the base`, `the result`. */
  on: z.string(),
  task_id: z.string().nullable(),
  pid: z.number(),
  since: z.string(),
  passed: z.number(),
  failed: z.number(),
  last: z.string(),
  /** When it was over, and how it went then; null while it runs. */
  ended: z.string().nullable(),
  outcome: z.string(),
  /** Not a check or setup, but something to know about them: told once. */
  note: z.string().optional(),
});
export type Activity = z.infer<typeof Activity> & { readonly id: string };

export function activityFolder(stateFolder: string, runId: string): string {
  return join(stateFolder, "activity", runId);
}

/** Writing more often helps nobody. */
const EVERY_MS = 500;
/** How long anyone who looks has to see that something is over. */
const SHOWN_MS = 5000;
let made = 0;

interface About {
  /** Describes a tree by its part in the run, such as the base. */
  readonly treeOf: (tree: string) => string;
  readonly taskId: string | null;
}

/** Contract: a folder that cannot be written to causes no failure; then no activity is shown. */
export function reportActivity(folder: string, { treeOf, taskId }: About): CheckObserver {
  const keep = (file: string, activity: z.infer<typeof Activity>) =>
    quietly(() => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, JSON.stringify(activity));
    });
  const drop = (file: string) => setTimeout(() => quietly(() => rmSync(file, { force: true })), SHOWN_MS).unref();
  const nextFile = () => join(folder, `${process.pid}-${++made}.json`);
  return {
    noted: (text) => {
      const file = nextFile();
      const now = new Date().toISOString();
      const common = { what: "note", command: "", on: "", task_id: taskId, pid: process.pid, passed: 0, failed: 0 };
      const note = withoutSecrets(text).slice(0, 1000);
      keep(file, { ...common, since: now, last: "", ended: now, outcome: "", note });
      drop(file);
    },
    begun: ({ name, run }, tree) => {
      const file = nextFile();
      const counter = new TestCounter();
      const since = new Date().toISOString();
      let writtenAt = 0;
      const write = (ended: string | null, outcome: string) => {
        writtenAt = Date.now();
        const { count, last } = counter;
        const activity: z.infer<typeof Activity> = {
          what: name,
          command: withoutSecrets(run).slice(0, 500),
          on: treeOf(tree),
          task_id: taskId,
          pid: process.pid,
          since,
          ...count,
          last: withoutSecrets(last).slice(0, 200),
          ended,
          outcome,
        };
        keep(file, activity);
      };
      write(null, "");
      return {
        printed: (piece) => {
          counter.take(piece.toString("utf8"));
          if (Date.now() - writtenAt >= EVERY_MS) write(null, "");
        },
        ended: ({ ended, exit_code, findings }) => {
          const failed = findings.filter(({ status }) => status === "failed").length;
          const passed = findings.filter(({ status }) => status === "passed").length;
          const counts = [...(passed > 0 ? [`${passed} passed`] : []), ...(failed > 0 ? [`${failed} failed`] : [])];
          const how = ended === "exited" ? `exit code ${exit_code ?? "?"}` : ended.replace("_", " ");
          write(new Date().toISOString(), counts.length > 0 ? counts.join(", ") : exit_code === 0 ? "ok" : how);
          drop(file);
        },
      };
    },
  };
}

/** Lists the activities of a run, oldest first. Removes those of processes that have died. */
export function activitiesIn(folder: string): Activity[] {
  const found: Activity[] = [];
  for (const name of quietly(() => readdirSync(folder)) ?? []) {
    const path = join(folder, name);
    const read = Activity.safeParse(quietly(() => JSON.parse(readFileSync(path, "utf8")) as unknown));
    if (!read.success) continue;
    if (isThere(read.data.pid)) found.push({ ...read.data, id: name });
    else quietly(() => rmSync(path, { force: true }));
  }
  return found.sort((a, b) => (a.since < b.since ? -1 : 1));
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
