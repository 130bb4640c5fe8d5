import { dirname, join } from "node:path";
import { mkdir, writeFile } from "../../../foundation/files/write-files.js";
import { withoutSecrets } from "../../../foundation/files/known-secrets.js";
import { tailOf } from "../../../foundation/secrets/tail-of.js";
import type { Sandbox, SandboxedProcess } from "../../sandbox/sandbox.js";
import { errorLines } from "./error-lines.js";
import type { SetupPlace, SetupSettings } from "./place.js";
import { startObservation } from "../../checks/observe.js";
import { UNATTENDED } from "../../checks/unattended.js";

/* The project's own command that makes a workspace fit to work in, once, inside the sandbox, with its log kept. */

export type SetupEnd = { readonly ready: true; readonly seconds: number } | SetupFailure;

export interface SetupFailure {
  readonly ready: false;
  /** The first lines that name the error and the last lines, with what a person can do. */
  readonly message: string;
  /** The file with everything it printed. */
  readonly log: string;
  /** Its exit code; null when it was stopped or could not be started. */
  readonly exit_code: number | null;
}

export interface SetupWatch {
  readonly signal: AbortSignal;
  /** The name of its log among all others. */
  readonly name: string;
  /** The name of what it prepares, for progress messages. */
  readonly tree?: string;
  /** Told every half minute what it is doing. */
  readonly tell?: ((text: string) => void) | undefined;
}

const HEARTBEAT_MS = 30_000;
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Everything that is left to be run in a workspace: setup, unless what it made was copied, and what is built from the
 * source.
 *
 * Contract: as `runCommand`.
 */
export async function runSetup(
  settings: SetupSettings,
  restored: boolean,
  sandbox: Sandbox,
  place: SetupPlace,
  watch: SetupWatch,
): Promise<SetupEnd> {
  const { run, build, minutes } = settings;
  const commands = [...(restored ? [] : [run]), ...(build === undefined ? [] : [build])];
  let seconds = 0;
  for (const command of commands) {
    const end = await runCommand({ run: command, minutes }, sandbox, place, watch);
    if (!end.ready) return end;
    seconds += end.seconds;
  }
  return { ready: true, seconds };
}

/** Contract: never rejects for what the command does; the result says how it ended. Stopped by the signal it throws. */
export async function runCommand(
  settings: Pick<SetupSettings, "run" | "minutes">,
  sandbox: Sandbox,
  place: SetupPlace,
  { signal, name, tree = "", tell }: SetupWatch,
  heartbeatMs: number = HEARTBEAT_MS,
): Promise<SetupEnd> {
  signal.throwIfAborted();
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  const child = sandbox.spawn({
    argv: ["sh", "-c", settings.run],
    env: { ...UNATTENDED, ...place.env },
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end();
  const seen = startObservation({ name: "setup", run: settings.run }, tree);
  const output = gather(child, seen.printed);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill();
  }, settings.minutes * 60_000);
  const heartbeat = setInterval(
    () => tell?.(`setup has run for ${seconds()} s: ${shortenCommand(settings.run)}${lastSaid(output.last())}`),
    heartbeatMs,
  );
  const stop = () => child.kill();
  signal.addEventListener("abort", stop, { once: true });
  const exit = await child.exited;
  clearTimeout(timer);
  clearInterval(heartbeat);
  signal.removeEventListener("abort", stop);
  seen.ended({ ended: late ? "timed_out" : "exited", exit_code: exit.code, findings: [] });
  signal.throwIfAborted();
  if (exit.code === 0 && !late) return { ready: true, seconds: seconds() };

  const text = withoutSecrets(await output.all());
  const log = await keepLog(place, name, `$ ${settings.run}\n${text}`);
  const how = late
    ? `did not end within its ${settings.minutes} minutes (workspace.setup.minutes) and was stopped`
    : (exit.error ??
      (exit.code === null ? `was ended by ${exit.signal ?? "a signal"}` : `failed with exit code ${exit.code}`));
  return {
    ready: false,
    message: `setup "${shortenCommand(settings.run)}" ${how}:\n${errorLines(text)}\nThe whole log: ${log}`,
    log,
    exit_code: late ? null : exit.code,
  };
}

async function keepLog({ cache }: SetupPlace, name: string, text: string): Promise<string> {
  const log = join(cache, "logs", `${name.replaceAll(/[^A-Za-z0-9._-]/g, "_")}.log`);
  await mkdir(dirname(log), { recursive: true });
  await writeFile(log, text);
  return log;
}

/** The command as far as one line holds it; the log has all of it. */
function shortenCommand(run: string): string {
  const line = run.replaceAll(/\s+/g, " ");
  return line.length <= 120 ? line : `${line.slice(0, 120)}…`;
}

function lastSaid(line: string): string {
  return line === "" ? "; it has printed nothing" : `; it last printed: ${withoutSecrets(line).slice(0, 200)}`;
}

function gather(
  { stdout, stderr }: SandboxedProcess,
  printed: (piece: Buffer) => void,
): {
  readonly all: () => Promise<string>;
  readonly last: () => string;
} {
  const pieces: Buffer[] = [];
  let size = 0;
  let recent = "";
  const ended = [stdout, stderr].map(
    (stream) =>
      new Promise<void>((resolve) => {
        stream.on("data", (piece: Buffer) => {
          printed(piece);
          recent = tailOf(recent + piece.toString("utf8"), 8000);
          if (size < MOST_BYTES) pieces.push(piece);
          size += piece.length;
        });
        stream.once("close", resolve).once("error", () => resolve());
      }),
  );
  return {
    all: async () => {
      await Promise.all(ended);
      return Buffer.concat(pieces).toString("utf8");
    },
    last: () =>
      recent
        .trimEnd()
        .split(/[\r\n]+/)
        .at(-1)
        ?.trim() ?? "",
  };
}
