import { writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { SandboxedCommand } from "../../../src/hands/sandbox/sandbox.js";
import { findAbilities, type LinuxTrial, onLinux } from "../../../src/hands/sandbox/grade.js";
import { openSandbox } from "../../../src/hands/sandbox/open-sandbox.js";
import type { SandboxOptions } from "../../../src/hands/sandbox/options.js";

/*
 * A Coordinator in a process of its own, so that it can be another user, and be killed. Its argument says which sandbox to
 * open and what to run in it. It prints what came of it, or, for `hold`, that it runs, and then waits.
 */
export interface Order {
  readonly options: SandboxOptions;
  readonly commands: readonly SandboxedCommand[];
  readonly hold?: boolean;
  /** What a trial of a lesser machine would have found; the tools are those of this one. */
  readonly machine?: Partial<LinuxTrial>;
}

export interface Told {
  readonly grade: string;
  readonly results: readonly {
    readonly exit: { readonly code: number | null; readonly signal: string | null; readonly limit?: string };
    readonly stdout: string;
    readonly stderr: string;
  }[];
}

const order = JSON.parse(process.argv[2] ?? "") as Order;
const sandbox = await openSandbox(order.options, order.machine === undefined ? findAbilities() : lesser(order.machine));
const results: Told["results"][number][] = [];
for (const command of order.commands) {
  const started = sandbox.spawn(command);
  if (order.hold === true) {
    started.stdout.pipe(process.stdout);
    continue;
  }
  started.stdin.end();
  const [stdout, stderr, exit] = await Promise.all([text(started.stdout), text(started.stderr), started.exited]);
  results.push({ exit, stdout, stderr });
}
if (order.hold === true) setInterval(() => undefined, 1000);
else {
  await sandbox.close();
  writeSync(1, JSON.stringify({ grade: sandbox.grade, results } satisfies Told));
}

function lesser(machine: Partial<LinuxTrial>) {
  return onLinux({
    missing: [],
    tools: findAbilities().bubblewrap?.tools ?? null,
    filter: true,
    root: process.getuid?.() === 0,
    whole: null,
    withoutDisableUserns: null,
    asRoot: null,
    appArmor: false,
    installer: null,
    ...machine,
  });
}
