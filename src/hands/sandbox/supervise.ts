import type { ChildProcess } from "node:child_process";
import { PassThrough, type Readable, Transform, Writable } from "node:stream";
import type { SandboxedExit, SandboxedProcess } from "./sandbox.js";
import type { Limits } from "./options.js";

/** How one kind of sandbox ends everything it started. */
export interface Tree {
  /** Contract: SIGKILL to everything; may be called at any time and more than once. */
  readonly kill: () => void;
  /** Contract: resolves when nothing of it runs any more; called after the outermost process has ended. */
  readonly gone: () => Promise<void>;
  /** The limit on memory, where there is one: told to begin, and asked at the end whether it was reached. */
  readonly memory?: {
    readonly watch: (onReached: () => void) => void;
    readonly wasReached: () => boolean;
  };
}

/** A started program as a sandboxed process: its output is counted, its time is limited, its end is waited for. */
export function supervise(child: ChildProcess, limits: Limits, tree: Tree): SandboxedProcess {
  let limit: SandboxedExit["limit"];
  let kills = 0;
  const kill = () => {
    if (kills++ === 0) tree.kill();
  };
  const stop = (reached: NonNullable<SandboxedExit["limit"]>) => {
    limit ??= reached;
    kill();
  };
  tree.memory?.watch(() => stop("memory"));
  const timer = setTimeout(() => stop("minutes"), Math.min(limits.minutes * 60_000, MAX_TIMER));
  timer.unref();

  const meter = { left: limits.outputBytes, reached: () => stop("output_bytes") };
  const stdout = meterStream(child.stdout, meter);
  const stderr = meterStream(child.stderr, meter);
  // A program that has ended does not read what is still written to it; that is not a failure of the writer.
  child.stdin?.on("error", () => undefined);

  const ended = new Promise<SandboxedExit>((resolve) => {
    child.once("error", ({ message }) => resolve({ code: null, signal: null, error: message }));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const exited = ended.then(async (exit) => {
    clearTimeout(timer);
    if (tree.memory?.wasReached() === true) limit ??= "memory";
    await tree.gone();
    return limit === undefined ? exit : { ...exit, limit, error: LIMIT_REACHED[limit] };
  });
  return { pid: child.pid ?? 0, stdin: child.stdin ?? discardOutput(), stdout, stderr, exited, kill };
}

/** Contract: what could not be started is an exit like any other. */
export function makeNotStarted(error: string): SandboxedProcess {
  const empty = () => new PassThrough().end();
  return {
    pid: 0,
    stdin: discardOutput(),
    stdout: empty(),
    stderr: empty(),
    exited: Promise.resolve({ code: null, signal: null, error }),
    kill: () => undefined,
  };
}

const LIMIT_REACHED = {
  minutes: "It took longer than it may and was ended.",
  output_bytes: "It printed more than it may and was ended.",
  memory: "It used more memory than it may and was ended.",
} as const;
// Beyond this a timer of Node.js would fire at once.
const MAX_TIMER = 2 ** 31 - 1;

function meterStream(from: Readable | null, meter: { left: number; reached: () => void }): Readable {
  if (from === null) return new PassThrough().end();
  const through = new Transform({
    transform(chunk: Buffer, _, done) {
      const part = chunk.subarray(0, Math.max(meter.left, 0));
      meter.left -= chunk.length;
      if (meter.left < 0) meter.reached();
      done(null, part);
    },
  });
  from.on("error", () => through.end());
  return from.pipe(through);
}

function discardOutput(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
