import type { ExecutionGraph } from "../model/graph.js";
import type { CommandHistory, RememberedAnswer } from "../model/packs.js";

/** What one attempt at a command used and how it ended, as a run's record tells it. */
export interface Observation {
  readonly command_id: string;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly minutes: number;
  readonly failed: boolean;
}

/**
 * What earlier runs teach about each command: medians, so that one run gone wrong does not spoil the estimate.
 * `known` is what was learned before; its figures count with the weight of their samples.
 */
export function learn(observations: readonly Observation[], known: readonly CommandHistory[] = []): CommandHistory[] {
  const ids = [...new Set([...observations.map((o) => o.command_id), ...known.map((k) => k.command_id)])].sort();
  return ids.map((command_id) => {
    const before = known.find((k) => k.command_id === command_id);
    const seen = observations.filter((o) => o.command_id === command_id);
    const figure = (pick: (o: { tokens_in: number; tokens_out: number; minutes: number }) => number) => {
      const values = seen.map(pick);
      if (before === undefined) return median(values);
      if (values.length === 0) return pick(before);
      return (pick(before) * before.samples + median(values) * values.length) / (before.samples + values.length);
    };
    return {
      command_id,
      samples: seen.length + (before?.samples ?? 0),
      tokens_in: Math.round(figure((o) => o.tokens_in)),
      tokens_out: Math.round(figure((o) => o.tokens_out)),
      minutes: Math.round(figure((o) => o.minutes) * 100) / 100,
      failures: seen.filter((o) => o.failed).length + (before?.failures ?? 0),
    };
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** How people answered the questions of earlier plans; the next plan suggests the same. */
export function learnAnswers(
  graphs: readonly Pick<ExecutionGraph, "nodes">[],
  known: readonly RememberedAnswer[] = [],
): RememberedAnswer[] {
  const times = new Map(known.map((k) => [`${k.question_id} ${k.answer}`, { ...k }]));
  for (const { nodes } of graphs) {
    for (const node of nodes) {
      // Fallbacks teach nothing: nobody decided them.
      if (node.node_type !== "question" || node.metadata.status !== "answered" || node.metadata.provided_by !== "human")
        continue;
      const key = `${node.question_ref} ${node.metadata.answer}`;
      const before = times.get(key)?.times ?? 0;
      times.set(key, { question_id: node.question_ref, answer: node.metadata.answer, times: before + 1 });
    }
  }
  return [...times.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, remembered]) => remembered);
}
