import type { ExecutionGraph } from "../../../model/plan/graph.js";
import { byCodeUnit } from "../../../model/by-code-unit.js";
import type { CommandHistory, EstimateRatio, RememberedAnswer } from "../../../model/settings/packs.js";
import { ENOUGH_SAMPLES } from "./route-models.js";

/** Usage and end of one attempt at a command, as a run's record tells it. */
export interface Observation {
  readonly command_id: string;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly minutes: number;
  readonly failed: boolean;
}

/**
 * Learns about each command from earlier runs: medians, so that one run gone wrong does not spoil the estimate.
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

/** Usage of one task beside its estimate, before anything learnt corrected it. */
export interface TaskObservation {
  readonly command_id: string;
  readonly task_type: string | null;
  readonly estimated: { readonly tokens: number; readonly minutes: number };
  /** Null tokens: the agent did not report them, and a guess about a guess teaches nothing. */
  readonly used: { readonly tokens: number | null; readonly minutes: number };
}

/** A correction is at most this: a figure further off is wrong and not merely inexact. */
const LEAST_RATIO = 0.25;
const MOST_RATIO = 4;

/**
 * How what tasks used stood to what was estimated, by command and by type of task.
 *
 * Contract: pure; the order of the observations does not matter. Medians, held between a quarter and four times; nothing
 * is said of what fewer than three tasks have shown.
 */
export function learnRatios(observations: readonly TaskObservation[]): EstimateRatio[] {
  const groups = new Map<string, { of: EstimateRatio["of"]; name: string; seen: TaskObservation[] }>();
  for (const observation of observations) {
    const names = [["command", observation.command_id] as const, ["task_type", observation.task_type] as const];
    for (const [of, name] of names) {
      if (name === null) continue;
      const group = groups.get(`${of} ${name}`);
      if (group === undefined) groups.set(`${of} ${name}`, { of, name, seen: [observation] });
      else group.seen.push(observation);
    }
  }
  return [...groups.entries()]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .flatMap(([, { of, name, seen }]) => {
      const tokens = ratios(
        seen,
        (o) => o.used.tokens,
        (o) => o.estimated.tokens,
      );
      const minutes = ratios(
        seen,
        (o) => o.used.minutes,
        (o) => o.estimated.minutes,
      );
      if (tokens.length < ENOUGH_SAMPLES && minutes.length < ENOUGH_SAMPLES) return [];
      return [
        {
          of,
          name,
          tokens: middle(tokens),
          token_samples: tokens.length,
          minutes: middle(minutes),
          minute_samples: minutes.length,
        },
      ];
    });
}

/** An amount without an estimate, or with an estimate of zero, gives no ratio. */
function ratios(
  seen: readonly TaskObservation[],
  used: (o: TaskObservation) => number | null,
  estimated: (o: TaskObservation) => number,
): number[] {
  return seen.flatMap((o) => {
    const ratio = (used(o) ?? 0) / estimated(o);
    return ratio > 0 && Number.isFinite(ratio) ? [ratio] : [];
  });
}

function middle(found: readonly number[]): number | null {
  if (found.length < ENOUGH_SAMPLES) return null;
  const bounded = Math.min(MOST_RATIO, Math.max(LEAST_RATIO, median(found)));
  return Math.round(bounded * 1000) / 1000;
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
