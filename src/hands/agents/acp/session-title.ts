import type { ClientContext } from "@agentclientprotocol/sdk";
import { z } from "zod";

/*
 * The title of a session. An agent that makes titles by itself asks a model of its own choice for one, with the first prompt
 * as its text: neither the plan's choice of a model nor what its data was accepted for would hold for that call. A session
 * that has a title is not given another one.
 */

const SET_TITLE = "session/set_title";
const TITLE = "A task of the Coordinator";

const TakesTitles = z.object({
  agentCapabilities: z.object({ sessionCapabilities: z.object({ title: z.looseObject({}) }) }),
});

/** Why the agent may ask another model for a title, or null when it has one or makes none. */
export async function ensureTitle(agent: ClientContext, sessionId: string, hello: unknown): Promise<string | null> {
  if (!TakesTitles.safeParse(hello).success) return null;
  try {
    await agent.request(SET_TITLE, { sessionId, title: TITLE });
    return null;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return `it did not take a title for its session, and would ask another model for one: ${said}`;
  }
}
