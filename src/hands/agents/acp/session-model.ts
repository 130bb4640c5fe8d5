import type { ClientContext, SessionConfigOption } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { ensureOption, valueOf, valuesOf } from "./session-mode.js";

/*
 * The model of a session. The model that a plan chose, priced and accepted for its data must work: it is set over the
 * protocol and read back before the first prompt, and an agent that is on another one is not prompted.
 */

/** Models as agents of earlier versions of the protocol tell them. */
export interface OfferedModels {
  readonly configOptions?: readonly SessionConfigOption[] | null;
  readonly models?: unknown;
}

/** The method of that earlier form; it answers with nothing. */
const SET_MODEL = "session/set_model";

export interface ModelWish {
  /** Null: the agent's own choice, whatever it is. */
  readonly model: string | null;
  /** The agent was started with it, by its command, variables or files. */
  readonly model_at_start: boolean;
}

/** Why the agent does not work with that model, or null when it does. */
export async function ensureModel(
  agent: ClientContext,
  sessionId: string,
  offered: OfferedModels,
  { model, model_at_start }: ModelWish,
): Promise<string | null> {
  if (model === null) return null;
  const option = (offered.configOptions ?? []).find(({ category }) => category === "model");
  if (option !== undefined) {
    const now = valueOf(option);
    if (now !== null && isModel(now, model)) return null;
    const value = valuesOf(option).find((each) => isModel(each, model));
    if (value === undefined) return notOffered(model, valuesOf(option), now);
    return ensureOption(agent, sessionId, [option], option.id, value);
  }
  const named = earlierForm(offered.models);
  if (named !== null) {
    if (isModel(named.current, model)) return null;
    const modelId = named.ids.find((each) => isModel(each, model));
    if (modelId === undefined) return notOffered(model, named.ids, named.current);
    await agent.request(SET_MODEL, { sessionId, modelId });
    return null;
  }
  return model_at_start ? null : `it offers no choice of models, so ${model} cannot be set`;
}

/** The model that a session is on, as its options tell; null where they do not. */
export function modelIn(options: readonly SessionConfigOption[]): string | null {
  return valueOf(options.find(({ category }) => category === "model"));
}

/** The models it says it has, in whichever way it tells them. */
export function modelsIn({ configOptions, models }: OfferedModels): string[] {
  const option = (configOptions ?? []).find(({ category }) => category === "model");
  return option === undefined ? [...(earlierForm(models)?.ids ?? [])] : valuesOf(option);
}

/** Agents put the name of a provider before a model's own name. */
export function isModel(told: string, wanted: string): boolean {
  return told === wanted || told.endsWith(`/${wanted}`) || wanted.endsWith(`/${told}`);
}

function notOffered(model: string, ids: readonly string[], now: string | null): string {
  return `it does not offer the model ${model}, only ${ids.join(", ") || "none"}; it is on ${now ?? "an unknown one"}`;
}

const EarlierForm = z.object({
  currentModelId: z.string(),
  availableModels: z.array(z.object({ modelId: z.string() })),
});

function earlierForm(models: unknown): { readonly current: string; readonly ids: readonly string[] } | null {
  const read = EarlierForm.safeParse(models);
  if (!read.success) return null;
  return { current: read.data.currentModelId, ids: read.data.availableModels.map(({ modelId }) => modelId) };
}
