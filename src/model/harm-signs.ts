import { z } from "zod";

/*
 * The signs that the learned layer of safety weighs, as data: names of signs, and for each language the phrases that show
 * them.
 */
const SignName = z.string().regex(/^[a-z][a-z0-9_]{1,40}$/);
const Language = z.string().regex(/^[a-z]{2}$/, { error: "must be a language of two letters, e.g. de" });

export const HarmSigns = z
  .strictObject({
    schema_version: z.literal("1.0.0"),
    categories: z.record(SignName, SignName).describe("The category that a sign speaks for, the most telling first."),
    relief: z.array(SignName).describe("Signs that speak against harm."),
    signs: z.record(SignName, z.record(Language, z.string().min(1))),
  })
  .check((ctx) => {
    for (const name of [...Object.keys(ctx.value.categories), ...ctx.value.relief])
      if (!Object.hasOwn(ctx.value.signs, name))
        ctx.issues.push({
          code: "custom",
          path: ["signs"],
          message: `has no sign ${name}, which is named above`,
          input: name,
        });
  });
export type HarmSigns = z.infer<typeof HarmSigns>;
