/** Values for a template of branch names. `issue` is null when the run came from no issue. */
export interface BranchParts {
  readonly issue: number | null;
  readonly slug: string;
  readonly run: string;
  /** The task of a branch that holds one task alone. */
  readonly task: string | null;
}

/** Contract: pure. Whether git takes the name is git's to say. Unknown parts stay as they are, so that git refuses them. */
export function fillBranchName(template: string, { issue, slug, run, task }: BranchParts): string {
  const values: Readonly<Record<string, string>> = { issue: issue === null ? "" : String(issue), slug, run };
  const filled = template
    .replaceAll(/\{(issue|slug|run)\}/g, (_, name: string) => values[name] ?? "")
    // A part that is missing leaves no separator behind.
    .replaceAll(/-{2,}/g, "-")
    .replaceAll(/(^|\/)-+/g, "$1")
    .replaceAll(/-+($|\/)/g, "$1");
  return task === null ? filled : `${filled}-${task.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, "-")}`;
}
