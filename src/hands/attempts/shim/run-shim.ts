import { setTimeout as sleep } from "node:timers/promises";
import { crashPoint } from "../../../foundation/processes/crash-points.js";
import { ownIdentity } from "../../../foundation/processes/process-identity.js";
import {
  claimInstance,
  endWork,
  isToStop,
  readOrder,
  setUnwritable,
  type ShimOrder,
  type ShimResult,
  writeResult,
} from "./instance-folder.js";
import { NoteWriter } from "./notes.js";
import { hasCode } from "./shim-failure.js";
import { endSurvivors } from "./survivors.js";

/*
 * The shim: a program of its own for each instance of an effect, which lives on when the process that asked for it dies.
 * It claims the instance, does the effect, enforces its limits, and leaves the result for the person who asks next.
 */

export interface ShimContext {
  readonly folder: string;
  /** Aborted when the body is to stop: ordered by the run, or out of time. */
  readonly signal: AbortSignal;
  /** Contract: never throws. Tells anyone who follows how it goes; no outcome may depend on it. */
  readonly note: (event: unknown) => void;
}

/**
 * The work that is done for an effect.
 *
 * Contract: resolves with the effect's outcome, also when that is a failure, as something JSON can say. After the signal
 * was aborted it resolves only if the effect was done all the same, and rejects otherwise: the person who asks again then gets a
 * new instance. Programs it starts are in a sandbox, or of the shim's session.
 */
export type ShimBody = (input: unknown, context: ShimContext) => Promise<unknown>;

const LOOK_FOR_STOP_MS = 1000;
/** How long a result is kept in memory that finds no room on the disk. */
const HOLD_RESULT_MS = 24 * 60 * 60 * 1000;

/**
 * Be the shim of the instance in this folder, and end the process. The program that calls this names its bodies; an
 * order only chooses among them.
 *
 * Contract: without the claim nothing is done. A result says that nothing the body started runs any more.
 */
export async function runShim(folder: string, bodies: Readonly<Record<string, ShimBody>>): Promise<never> {
  const stop = new AbortController();
  // Before the claim: anyone who reads the claim may send the signal at once.
  process.on("SIGTERM", () => stop.abort());
  for (const signal of ["SIGHUP", "SIGINT"] as const) process.on(signal, () => undefined);
  crashPoint("shim.before_claim");
  if (!claimInstance(folder)) process.exit(0);
  crashPoint("shim.claimed");
  const result = await resultOf(folder, bodies, stop);
  crashPoint("shim.body_ended");
  await endSurvivors(folder, ownIdentity());
  endWork(folder);
  await keepResult(folder, result);
  crashPoint("shim.result_written");
  process.exit(0);
}

async function resultOf(
  folder: string,
  bodies: Readonly<Record<string, ShimBody>>,
  stop: AbortController,
): Promise<ShimResult> {
  const order = readOrder(folder);
  if (order === null) return { kind: "threw", message: "the order of this instance cannot be read" };
  const body = Object.hasOwn(bodies, order.body) ? bodies[order.body] : undefined;
  if (body === undefined) return { kind: "threw", message: `this program has no body named ${order.body}` };
  const looking = setInterval(() => {
    if (isToStop(folder)) stop.abort();
  }, LOOK_FOR_STOP_MS);
  try {
    return await bodyWithin(body, folder, order, stop.signal);
  } finally {
    clearInterval(looking);
  }
}

/** The body, or its end: a body that was told to stop and did not is left alone, and dies with the process. */
async function bodyWithin(body: ShimBody, folder: string, order: ShimOrder, stop: AbortSignal): Promise<ShimResult> {
  const ending = new AbortController();
  const { signal } = ending;
  const notes = new NoteWriter(folder, order.notes_limit_bytes);
  const givenUp = new Promise<ShimResult>((resolve) => {
    const endAs = (kind: "stopped" | "timed_out") => {
      if (signal.aborted) return;
      ending.abort({ kind } satisfies ShimResult);
      setTimeout(() => resolve({ kind }), order.grace_ms);
    };
    setTimeout(() => endAs("timed_out"), order.limit_ms);
    stop.addEventListener("abort", () => endAs("stopped"));
    if (stop.aborted) endAs("stopped");
  });
  const done = Promise.resolve()
    .then(() => body(order.input, { folder, signal, note: notes.write }))
    .then(valueResult)
    .catch((error: unknown): ShimResult =>
      signal.aborted ? (signal.reason as ShimResult) : { kind: "threw", message: messageOf(error) },
    );
  return Promise.race([done, givenUp]);
}

/** Contract: throws for a value that JSON cannot say; nothing said is null. */
function valueResult(value: unknown): ShimResult {
  return { kind: "value", value: JSON.parse(JSON.stringify(value ?? null)) as unknown };
}

/** Finished work must not be repeated because the disk was full for a while: the result waits for room. */
async function keepResult(folder: string, result: ShimResult): Promise<void> {
  for (let waited = 0, pause = 100; ; waited += pause, pause = Math.min(5000, pause * 2)) {
    try {
      return writeResult(folder, result);
    } catch (error) {
      if (waited > HOLD_RESULT_MS || hasCode(error, "ENOENT")) throw error;
      // Nothing is written of it: the log stands on the same full disk, and a failed write to it ends the process.
      setUnwritable(folder);
      await sleep(pause);
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
