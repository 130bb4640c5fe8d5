/** What to type to merge a run. Anyone who holds the roles it is reviewed under need not say so. Contract: pure. */
export function mergeCommand(run_id: string): string {
  return `coordinator merge ${run_id}`;
}
