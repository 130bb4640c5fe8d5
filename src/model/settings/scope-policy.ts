import { z } from "zod";
import { Scope } from "../scope.js";
import { text } from "../primitives.js";
import { TaskType } from "../task.js";

/*
 * The grants of a team to its attempts from the start, and the limits that no attempt may exceed, no matter who asks. The first is the
 * beginning of every scope, the second its end.
 */

const Commands = Scope.shape.commands;

export const ScopePolicy = z.strictObject({
  schema_version: z.literal("1.0.0"),
  commands: z
    .strictObject({
      always: Commands.default([]).describe("What every attempt may run, such as looking around."),
      builders: z.partialRecord(TaskType, Commands).default({}).describe("What a builder may run beside that."),
    })
    .prefault({}),
  network: z
    .array(text(1, 255))
    .max(200)
    .default([])
    .describe("Hosts for actions whose plan has the effect network; others reach none."),
  narrow_reads: z.boolean().default(false).describe("Only what an action reads and writes is in its workspace."),
  minutes_per_estimate: z
    .number()
    .min(1)
    .max(100)
    .default(4)
    .describe("Time for an attempt, as a multiple of its estimate."),
  least_minutes: z.number().min(1).max(10_000).default(10),
  most: z
    .strictObject({
      commands: Commands.default(["*"]),
      write: Scope.shape.write.default(["**"]),
      network: Scope.shape.network.default(["*"]),
      minutes: z.number().min(0).default(120),
      output_bytes: z
        .int()
        .min(0)
        .default(64 * 1024 * 1024),
      files: z.int().min(0).default(200),
    })
    .prefault({})
    .describe("The contract: nothing beyond it is granted, not even by a person who answers a question."),
});
export type ScopePolicy = z.infer<typeof ScopePolicy>;
