/** What to type to merge a run, whole: with the reviewers one has to be. Contract: pure. */
export function mergeCommand(run_id: string, roles: readonly string[] = []): string {
  return [`coordinator merge ${run_id}`, ...roles.map((role) => `--as ${word(role)}`)].join(" ");
}

function word(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
