import type { z } from "zod";
import { CommandId } from "../primitives.js";
import { CommandParameter } from "./registry.js";

/** A question that only a person can answer, asked by the plan before anything is done, as far as its question budget allows. */
export const PlanQuestion = CommandParameter.extend({
  command_id: CommandId.describe("The command of the tasks that depend on the answer; they are told it."),
});
export type PlanQuestion = z.infer<typeof PlanQuestion>;
