import type { CoordinatorResponse } from "../../model/request.js";
import type { ChangedFile, RunChange } from "../../model/run-change.js";
import type { ProjectState } from "./project-state/project-state.js";

type Deliverable = CoordinatorResponse["deliverables"][number];

/** However many pages a run wrote, a response stays one that is read. */
const MOST_DOCUMENTS = 50;

/**
 * Lists the deliverables of a run so far: its plan, the code as one change, each document by its path, and the report of every
 * reviewed task.
 *
 * Contract: pure. Without figures of the code, what is known of it is said and nothing is made up.
 */
export function deliverablesOf(
  project: ProjectState,
  { run_id, code }: { readonly run_id: string; readonly code: RunChange | null },
): Deliverable[] {
  const plans = project.deliverables.filter(({ type }) => type === "plan");
  const tasks = project.deliverables.filter(({ type }) => type === "code");
  const files = code?.files ?? [];
  const documents = files.filter(({ path, change }) => change !== "removed" && isDocument(path));
  return [
    ...plans,
    ...(tasks.length === 0 ? [] : [codeOf(tasks, run_id, code)]),
    ...documents.slice(0, MOST_DOCUMENTS).map(documentOf),
    ...(documents.length > MOST_DOCUMENTS ? [manyDocuments(documents.length - MOST_DOCUMENTS, code)] : []),
    ...(tasks.length === 0 ? [] : [reportOf(run_id, tasks.length)]),
  ];
}

function codeOf(tasks: readonly Deliverable[], run_id: string, code: RunChange | null): Deliverable {
  const titles = tasks.map(({ description }) => description);
  const more = titles.length > 3 ? ` and ${titles.length - 3} more` : "";
  return {
    type: "code",
    path: code?.ref ?? `refs/coord/${run_id}/head`,
    description: `${titles.slice(0, 3).join("; ")}${more}`,
    metadata: {
      tasks: tasks.map(({ metadata, path }) => ({ task_id: metadata["task_id"], commit: path })),
      ...(code === null ? {} : figuresOf(code)),
    },
  };
}

function figuresOf({ files }: RunChange): Record<string, number> {
  const count = (change: ChangedFile["change"]) => files.filter((file) => file.change === change).length;
  const sum = (which: "added" | "removed") => files.reduce((all, file) => all + (file[which] ?? 0), 0);
  const tests = files.filter(({ path, change }) => change !== "removed" && isTest(path));
  return {
    lines_added: sum("added"),
    lines_removed: sum("removed"),
    files_created: count("created"),
    files_changed: count("changed"),
    files_removed: count("removed"),
    test_files: tests.length,
    test_lines_added: tests.reduce((all, { added }) => all + (added ?? 0), 0),
  };
}

function documentOf({ path, change, added }: ChangedFile): Deliverable {
  return {
    type: "documentation",
    path,
    description: change === "created" ? "A new document" : "A document that was changed",
    metadata: { lines_added: added ?? 0 },
  };
}

function manyDocuments(count: number, code: RunChange | null): Deliverable {
  return { type: "documentation", path: code?.ref ?? "", description: `and ${count} more documents`, metadata: {} };
}

function reportOf(run_id: string, tasks: number): Deliverable {
  return {
    type: "report",
    path: `.coordinator/records/${run_id}`,
    description: "The proof of each verdict and what was reviewed, named by checksum in the log",
    metadata: { tasks },
  };
}

const DOCUMENT = /\.(?:md|mdx|rst|adoc|asciidoc|txt|pdf)$/i;
const TEST =
  /(?:^|\/)(?:tests?|__tests__|specs?)\/|[._-](?:test|spec)s?\.[a-z0-9]+$|(?:^|\/)test_[^/]+\.py$|_test\.[a-z]+$/i;

function isDocument(path: string): boolean {
  return DOCUMENT.test(path) && !isTest(path);
}

function isTest(path: string): boolean {
  return TEST.test(path);
}
