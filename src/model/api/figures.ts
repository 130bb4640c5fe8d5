import { z } from "zod";
import { ProjectKey, Time } from "./shared.js";

/* Figures of runs and attempts, as the API says them. */

export const FiguresJson = z.looseObject({
  type: z.literal("figures"),
  runs: z.array(z.looseObject({ run_id: z.string(), started_at: Time, ended: z.string().nullable() })),
  attempts: z.array(
    z.looseObject({
      run_id: z.string(),
      task_id: z.string(),
      attempt: z.int(),
      agent: z.string(),
      model: z.string().nullable(),
      started_at: Time,
      ended_at: Time,
      outcome: z.string(),
      tokens: z.number(),
      cost_usd: z.number(),
      source: z.enum(["reported", "estimated"]),
    }),
  ),
  problems: z.array(z.string()),
});

const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

export const SeriesJson = z.looseObject({
  type: z.literal("series"),
  unit: z.literal("day"),
  zone: z.literal("UTC"),
  days: z.array(Day).describe("Every day that is looked at, oldest first; a day without a row had nothing."),
  work: z.array(
    z.looseObject({
      project: ProjectKey,
      day: Day.describe("The day an attempt or a verdict ended."),
      agent: z.string(),
      attempts: z.int(),
      completed: z.int(),
      failed: z.int(),
      retries: z.int().describe("Attempts that were not the first one at their task."),
      passed: z.int().describe("Verdicts PASS."),
      not_passed: z.int().describe("Verdicts FAIL and BLOCKED."),
      minutes: z.number(),
      tokens: z.number(),
      cost_usd: z.number(),
      estimated: z.int().describe("Attempts whose agent did not say what it used."),
    }),
  ),
  runs: z.array(
    z.looseObject({ project: ProjectKey, day: Day, started: z.int(), completed: z.int(), failed: z.int() }),
  ),
  problems: z.array(z.string()),
});
