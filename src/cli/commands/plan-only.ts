import { loadConfiguration } from "../../configuration/load-configuration.js";
import { findRoot, stateFolder } from "../../runs/state-folder.js";
import type { Finished } from "../report.js";
import type { Surroundings } from "../surroundings.js";
import { adrAsking } from "./adr-asking.js";
import type { Asking } from "./asking.js";
import { planFromWords } from "./plan-words.js";
import { inputFailure } from "./input-failure.js";

/** Make a plan of words or of a decision record, and do nothing with it. */
export async function planOnly(
  asking: Asking,
  adr: string | undefined,
  surroundings: Surroundings,
  environment: NodeJS.ProcessEnv,
): Promise<Finished> {
  const at = stateFolder(findRoot("."));
  const loaded = await loadConfiguration(at.root, environment);
  if (loaded.problems.length > 0) return inputFailure(loaded.problems);
  // Nobody waits for whoever specifies or plans but the person who may end it all with Ctrl-C.
  const around = { surroundings, environment, signal: new AbortController().signal, unsafeNoSandbox: false };
  if (adr === undefined) return (await planFromWords(asking, at, loaded.configuration, around)).finished;
  const asked = await adrAsking({ file: adr, approve: false }, asking, at, surroundings);
  if (!asked.ok) return asked.finished;
  const wanted = { ...asked.asking, out: asking.out };
  return (await planFromWords(wanted, at, loaded.configuration, around)).finished;
}
