import { z } from "zod";
import { ModelPrice, VariableName } from "./agent-config.js";
import { text } from "../primitives.js";

/*
 * The settings in `coordinator.yaml` of a model that is asked directly, to specify or to plan. A key is the name of an
 * environment variable, never the key itself.
 */

/** The name of an agent or a model in the configuration. */
export const ConfiguredName = z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, {
  error: "must be a lower-case letter followed by letters, digits, - and _",
});

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export const ModelSettings = z
  .strictObject({
    provider: z
      .enum(["anthropic", "openai"])
      .describe("The API it speaks: the Messages API, or chat completions, which Ollama and many others speak too."),
    base_url: z.url({ protocol: /^https?$/ }).describe("Where the API stands, such as https://api.anthropic.com"),
    model: text(1, 200).describe("The name under which the provider knows it."),
    key_env: VariableName.optional().describe("The variable of the Coordinator's environment that holds the key."),
    registry_id: text(1, 100).optional().describe("Its entry in the registry: what it costs, and where it runs."),
    prices: ModelPrice.optional().describe("What it costs, where that is not what the registry says."),
    answers: z
      .enum(["schema", "text"])
      .default("schema")
      .describe(
        "`schema`: the form of the answer is given to the API too. `text`: it is only asked for in the prompt.",
      ),
    max_output_tokens: z.int().min(256).max(1_000_000).default(16_384),
    timeout_seconds: z.number().min(0.1).max(3600).default(300),
  })
  .refine(({ base_url, key_env }) => key_env === undefined || isGuarded(base_url), {
    path: ["base_url"],
    error: "must begin with https:// when a key is sent, unless it is on this machine",
  });
export type ModelSettings = z.infer<typeof ModelSettings>;

function isGuarded(address: string): boolean {
  if (!URL.canParse(address)) return true;
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || LOOPBACK.test(hostname);
}

/** Who is asked: an agent by its name, or a model with those after it in `model_order`. */
const ASKED = /^(?:[a-z][a-z0-9_-]{0,63}|model:[a-z][a-z0-9_-]{0,63})$/;

export const PlannerName = z.string().regex(ASKED, { error: "must be template, an agent's name, or model:ID" });
export const ProductName = z.string().regex(ASKED, { error: "must be an agent's name, or model:ID" });

/** The limits of one question to an agent or a model, and what happens when no proposal is made. */
export const ProposingSettings = z.strictObject({
  tokens: z.int().min(1).max(100_000_000).default(100_000),
  cost_usd: z.number().min(0).max(100_000).default(2),
  minutes: z.number().min(0.01).max(240).default(15),
  otherwise: z
    .enum(["fail", "template"])
    .default("fail")
    .describe("When no proposal of a plan comes about: a person is told, or the template plans."),
});
export type ProposingSettings = z.infer<typeof ProposingSettings>;
