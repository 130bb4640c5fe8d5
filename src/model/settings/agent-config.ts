import { z } from "zod";
import { text } from "../primitives.js";

/*
 * The settings of an agent in `coordinator.yaml`: a preset and the few lines in which it differs, or a program of one's
 * own. Secrets are named here, never written: a key is the name of an environment variable of the Coordinator.
 */

export const AgentPreset = z.enum(["claude", "codex", "gemini", "opencode", "goose", "copilot", "scripted"]);
export type AgentPreset = z.infer<typeof AgentPreset>;

export const VariableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, { error: "must be the name of a variable" });

/** A path below the agent's home, never outside of it. */
const HomePath = text(1, 512).refine((path) => !path.startsWith("/") && !path.split("/").includes(".."), {
  error: "must be a path below the home directory",
});

/** How the agent reaches its model: not at all, with a key added outside of the sandbox, or with its own login. */
export const AgentAuth = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("none") }),
  z.strictObject({
    type: z.literal("proxy"),
    upstream: z.url().describe("Where the requests go, with the key added on the way."),
    routes: z.array(text(1, 200)).min(1).max(50).describe("`METHOD /path`; everything else is refused."),
    key_env: VariableName.describe("The variable of the Coordinator's environment that holds the key."),
    header: text(1, 100).describe("The header the key goes into; `authorization` gets `Bearer ` before it."),
  }),
  z.strictObject({
    type: z.literal("own"),
    files: z.array(HomePath).max(20).describe("Login files in the person's home, shown read-only to the agent."),
    hosts: z.array(text(1, 255)).max(50).describe("Hosts it may reach."),
  }),
]);
export type AgentAuth = z.infer<typeof AgentAuth>;

export const ModelPrice = z.strictObject({
  usd_per_million_in: z.number().min(0).max(10_000),
  usd_per_million_out: z.number().min(0).max(10_000),
  as_of: z.string().regex(/^\d{4}-\d\d-\d\d$/, { error: "must be a date YYYY-MM-DD" }),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** Where an agent's token counts are to be found, because no two report them alike. */
export const UsageRule = z.strictObject({
  updates: z
    .enum(["each_call", "within_call", "turn_end", "none"])
    .describe("When `usage_update` comes: once a call of the model, several times within one, once a turn, or never."),
  result: z.enum(["turn", "last_call", "quota", "none"]).describe("What the answer to the prompt counts."),
});
export type UsageRule = z.infer<typeof UsageRule>;

export const AgentLimits = z.strictObject({
  start_seconds: z.number().min(0.1).max(600).describe("How long it may take to answer before the first prompt."),
  silence_seconds: z.number().min(0.1).max(7200).describe("How long it may say nothing at all."),
  cancel_grace_seconds: z.number().min(0).max(60).describe("How long it has after a cancel before it is killed."),
});
export type AgentLimits = z.infer<typeof AgentLimits>;

/** A server of the Model Context Protocol: it runs in the agent's own sandbox, held by what holds the agent. */
export const McpServerSettings = z.strictObject({
  name: text(1, 100),
  argv: z.array(text(1, 4096)).min(1).max(200),
  env: z
    .array(VariableName)
    .max(20)
    .default([])
    .describe("Variables of the Coordinator's environment it is given. What it is given, the agent can read, too."),
});
export type McpServerSettings = z.infer<typeof McpServerSettings>;

export const AgentSettings = z
  .strictObject({
    preset: AgentPreset.optional(),
    protocol: z.enum(["acp", "command"]).optional(),
    command: z
      .array(text(1, 4096))
      .min(1)
      .max(200)
      .optional()
      .describe(
        "The program and its arguments as they are inside the sandbox. `{prompt}` and `{model}` are filled in.",
      ),
    env: z.record(VariableName, z.string().max(32_768)).default({}),
    mode: text(1, 200).nullable().optional().describe("The permission mode to set and read back; null for none."),
    auth: AgentAuth.optional(),
    relay: z.boolean().optional().describe("Whether a relay on loopback inside the sandbox leads to the proxy."),
    model: text(1, 200).optional().describe("The model it works with; absent, the agent's own choice."),
    models: z
      .array(text(1, 200))
      .min(1)
      .max(50)
      .optional()
      .describe(
        "Every model it can be told to use. A plan chooses one for each task and keeps the others as fallbacks.",
      ),
    prices: ModelPrice.optional(),
    usage: UsageRule.optional(),
    mcp_servers: z.array(McpServerSettings).max(20).default([]),
    limits: AgentLimits.partial().default({}),
    starts_per_minute: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe("How many attempts may begin with it in a minute, over all runs of the project. No limit when absent."),
  })
  .refine((settings) => settings.preset !== undefined || settings.command !== undefined, {
    error: "needs a preset or a command",
  });
export type AgentSettings = z.infer<typeof AgentSettings>;
