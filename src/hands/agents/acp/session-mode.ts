import { setTimeout as later } from "node:timers/promises";
import { type ClientContext, methods, type SessionConfigOption, type SessionModeState } from "@agentclientprotocol/sdk";

/*
 * An agent that does not ask is not held by its permissions. So the mode is set and read back before the first prompt,
 * and an agent that is in another one is not started.
 */

export interface OfferedModes {
  readonly modes?: SessionModeState | null;
  readonly configOptions?: readonly SessionConfigOption[] | null;
}

export interface ModeWish {
  readonly mode: string | null;
  readonly options: readonly { readonly id: string; readonly value: string }[];
}

/** The last mode the agent reported by itself. */
export type ReportedMode = () => string | null;

const CONFIRM_MS = 2000;
const POLL_MS = 25;

/** Why the agent must not be started, or null when it is as it was asked to be. */
export async function ensureMode(
  agent: ClientContext,
  sessionId: string,
  offered: OfferedModes,
  wish: ModeWish,
  reported: ReportedMode,
): Promise<string | null> {
  for (const { id, value } of wish.options) {
    const problem = await ensureOption(agent, sessionId, offered.configOptions ?? [], id, value);
    if (problem !== null) return problem;
  }
  if (wish.mode === null) return null;
  const wanted = wish.mode;
  const option = modeOption(offered.configOptions ?? []);
  const known = modesIn(offered);
  if (known.length === 0) return `it offers no permission modes, so ${wanted} cannot be set`;
  if (!known.includes(wanted)) return `it has no mode ${wanted}, only ${known.join(", ")}`;
  const current = () => reported() ?? offered.modes?.currentModeId ?? valueOf(option);
  if (current() === wanted) return null;
  // Setting an option answers with all of them, which reads it back; setting a mode answers with nothing.
  if (option !== undefined) return ensureOption(agent, sessionId, [option], option.id, wanted);
  // A mode that it reported before says nothing about later reports.
  const before = reported();
  await agent.request(methods.agent.session.setMode, { sessionId, modeId: wanted });
  for (let waited = 0; waited < CONFIRM_MS; waited += POLL_MS) {
    const now = reported();
    if (now === wanted) return null;
    if (now !== before && waited > 0) break;
    await later(POLL_MS);
  }
  return `it was asked to change to the mode ${wanted} and is in ${reported() ?? "an unknown one"}`;
}

export async function ensureOption(
  agent: ClientContext,
  sessionId: string,
  offered: readonly SessionConfigOption[],
  id: string,
  value: string,
): Promise<string | null> {
  const option = offered.find((each) => each.id === id);
  if (option === undefined) return `it has no option ${id}`;
  if (valueOf(option) === value) return null;
  const answer = await agent.request(methods.agent.session.setConfigOption, { sessionId, configId: id, value });
  const now = valueOf(answer.configOptions.find((each) => each.id === id));
  return now === value ? null : `its option ${id} was set to ${value} and is ${now ?? "unknown"}`;
}

/** Every permission mode it offers, in whichever way it tells them. */
export function modesIn({ modes, configOptions }: OfferedModes): string[] {
  const named = (modes?.availableModes ?? []).map(({ id }) => id);
  return [...new Set([...named, ...valuesOf(modeOption(configOptions ?? []))])];
}

export function modeOption(options: readonly SessionConfigOption[]): SessionConfigOption | undefined {
  return options.find(({ category }) => category === "mode");
}

export function valueOf(option: SessionConfigOption | undefined): string | null {
  return option === undefined ? null : String(option.currentValue);
}

export function valuesOf(option: SessionConfigOption | undefined): string[] {
  if (option?.type !== "select") return [];
  return option.options.flatMap((each) => ("options" in each ? each.options.map(({ value }) => value) : [each.value]));
}
