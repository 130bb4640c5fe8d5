import { z } from "zod";
import { TaskKey } from "../run.js";

/*
 * The record that one level of tasks leaves to the next: who did what, which files met, and what to watch out for. The names are
 * the specification's; an AC, an acceptance criterion worked on by one agent, is a task here.
 */

/** Two or more tasks changed the same file. `ac_indices` are the places of the tasks in the plan. */
export const FileConflict = z
  .strictObject({
    file_path: z.string(),
    ac_indices: z.array(z.int().min(0)).min(2),
    resolved: z.boolean(),
    resolution_description: z.string().default(""),
    /** How they met: in the same file at least, and as close as could be measured. */
    kind: z
      .enum([
        "same_file",
        "same_lines",
        "same_symbol",
        "rename_edit",
        "delete_edit",
        "lockfile",
        "generated",
        "semantic",
      ])
      .default("same_file"),
  })
  .readonly();
export type FileConflict = z.infer<typeof FileConflict>;

export const CoordinatorReview = z
  .strictObject({
    level_number: z.int().min(0),
    conflicts_detected: z.array(FileConflict).readonly(),
    review_summary: z.string(),
    fixes_applied: z.array(z.string()).readonly(),
    warnings_for_next_level: z.array(z.string()).readonly(),
    duration_seconds: z.number().min(0),
    session_id: z.string().nullable().default(null),
  })
  .readonly();
export type CoordinatorReview = z.infer<typeof CoordinatorReview>;

export const ACContextSummary = z
  .strictObject({
    ac_index: z.int().min(0),
    task_id: TaskKey,
    summary: z.string(),
    files_modified: z.array(z.string()).readonly(),
  })
  .readonly();
export type ACContextSummary = z.infer<typeof ACContextSummary>;

export const LevelContext = z
  .strictObject({
    level_number: z.int().min(0),
    completed_acs: z.array(ACContextSummary).readonly().default([]),
    coordinator_review: CoordinatorReview.nullable().default(null),
  })
  .readonly();
export type LevelContext = z.infer<typeof LevelContext>;
