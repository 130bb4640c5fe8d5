import { z } from "zod";
import { ProjectKey, Time, TroubleJson } from "./shared.js";

/* The workers of the stores that projects use, as the API says it. */

const WorkerJson = z.looseObject({
  id: z.string(),
  host: z.string(),
  version: z.string(),
  capacity: z.int().describe("How many pieces of work it does at once."),
  abilities: z.looseObject({
    labels: z.array(z.string()),
    accepts: z.array(z.string()).describe("The classes of data it accepts."),
    sandbox: z.string(),
    without_sandbox: z.boolean(),
    agents: z.array(z.string()),
    lacks: z.array(z.string()).describe("Programs that were asked for and are not there."),
  }),
  doing: z.array(z.looseObject({ run_id: z.string(), effect_id: z.string(), since: Time })),
  draining: z.boolean().describe("It ends when it has done what it does now."),
  problem: z.string().nullable(),
  since: Time,
});

export const WorkersJson = z.looseObject({
  type: z.literal("workers"),
  stores: z.array(
    z.looseObject({
      store: z.string(),
      projects: z.array(ProjectKey),
      workers: z.array(WorkerJson),
      waiting: z.array(
        z.looseObject({
          run_id: z.string(),
          effect_id: z.string(),
          seconds: z.number().describe("How long it has waited."),
          pace: z.string().nullable().describe("Set where its agent may not begin as often as there is room."),
          lacks: z.record(z.string(), z.array(z.string())).describe("The things each worker lacks for it, by its id."),
        }),
      ),
      problem: TroubleJson.nullable().describe("Why the store could not be asked."),
    }),
  ),
});
