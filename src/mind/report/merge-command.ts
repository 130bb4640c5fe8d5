/** The command line that merges a run. A person who holds the roles it is reviewed under need not say so. Contract: pure. */
export function mergeCommand(run_id: string): string {
  return `coordinator merge ${run_id}`;
}
