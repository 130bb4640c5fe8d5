import type { Configuration } from "../../model/settings/configuration.js";
import type { Worker } from "../../model/plan/policy.js";
import { Sensitivity } from "../../model/primitives.js";
import type { AttemptOutcome, RunTask } from "../../model/run.js";
import { mayBeShown, describeWorker } from "../../mind/plan/models/rank-workers.js";
import { globPrefix, matchesGlob } from "../../foundation/globs/glob.js";

/*
 * How sensitive the data of a task is, and who may be shown it. Asked again whenever an agent is about to start, by the
 * settings of that moment: a plan made under other settings shows nobody more than these allow.
 */

const CLASSES = Sensitivity.options;

/** The most sensitive of these classes. */
export function mostSensitive(classes: readonly Sensitivity[]): Sensitivity {
  return classes.reduce((most, one) => (CLASSES.indexOf(one) > CLASSES.indexOf(most) ? one : most), "public");
}

type Paths = Pick<Configuration, "data_paths">;

/** The class of a path, or of the folder a pattern stands for; null when nothing is said of it. */
function classOfPath(path: string, { data_paths: { confidential, restricted } }: Paths): Sensitivity | null {
  const place = /[*?{]/.test(path) ? globPrefix(path).replace(/\/+$/, "") : path;
  const isIn = (globs: readonly string[]) => globs.some((glob) => matchesGlob(glob, place));
  return isIn(restricted) ? "restricted" : isIn(confidential) ? "confidential" : null;
}

/** The class of a task's data with what it is because of: the plan, a path it names, a document it is given. */
export function dataOf(
  { data_sensitivity, files = [], tests = [] }: Pick<RunTask, "data_sensitivity" | "files" | "tests">,
  documents: readonly { readonly ref: string }[],
  settings: Paths,
): { readonly sensitivity: Sensitivity; readonly because: string } {
  const found = [
    { sensitivity: data_sensitivity ?? "internal", because: "the plan says so" },
    ...[...files, ...tests].map((path) => ({
      sensitivity: classOfPath(path, settings),
      because: `it works on ${path} (data_paths)`,
    })),
    ...documents.map(({ ref }) => ({
      sensitivity: classOfPath(ref, settings),
      because: `it is given ${ref} (data_paths)`,
    })),
  ].flatMap(({ sensitivity, because }) => (sensitivity === null ? [] : [{ sensitivity, because }]));
  const sensitivity = mostSensitive(found.map((one) => one.sensitivity));
  return { sensitivity, because: found.find((one) => one.sensitivity === sensitivity)?.because ?? "" };
}

/** Globs of what an agent must not see: files of a class it is not accepted for. Its workspace does not have them. */
export function unseenPaths(worker: Worker, { data_paths }: Paths): string[] {
  return (["confidential", "restricted"] as const).flatMap((name) =>
    mayBeShown(worker, name, "internal").allowed ? [] : data_paths[name],
  );
}

/** The question a task is held with when its agent may not be shown its data; null when it may. */
export function holdForData(
  worker: Worker,
  { sensitivity, because }: ReturnType<typeof dataOf>,
): Extract<AttemptOutcome, { kind: "clarification" }> | null {
  if (mayBeShown(worker, sensitivity, "internal").allowed) return null;
  const { agent } = worker;
  return {
    kind: "clarification",
    question:
      `${sensitivity} data (${because}) is not shown to ${describeWorker(worker)}. To accept it, add ` +
      `data_agents: {${sensitivity}: [${agent}]} to ~/.config/coordinator/config.yaml ({local: [${agent}]} if what it is ` +
      `shown stays on this machine); or give the task to another agent. Then let the task be tried again.`,
  };
}
