import { z } from "zod";

/** Why a server could not work on a run the last time. */
export const WorkTrouble = z.strictObject({ code: z.string(), message: z.string(), fix: z.string().nullable() });
export type WorkTrouble = z.infer<typeof WorkTrouble>;
