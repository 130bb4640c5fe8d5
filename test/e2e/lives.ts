import { spawn } from "node:child_process";
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { told } from "./handbook.js";
import { PROGRAM, type Project } from "./project.js";

/* The lives of the process that carries out a run, and the person who answers whenever it waits. */

/** A file that every life is written to, for whoever wants to see what happened. */
const TELL = process.env["E2E_TELL"];

/** How a life ends before its time: at a crash point, of this process or of a shim (`point@shim`), or after so long. */
export interface Death {
  readonly at?: string;
  readonly afterMs?: number;
}

/** A life that takes longer hangs. It is ended, which is none of the ends there may be. */
const HANGS_MS = 240_000;

interface Life {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

function live(handbook: Project, args: readonly string[], death?: Death): Promise<Life> {
  const armed = join(handbook.environment["TMPDIR"] ?? "", "crash");
  rmSync(armed, { force: true });
  if (death?.at !== undefined) writeFileSync(armed, death.at);
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: handbook.project, env: handbook.environment });
  const timer = death?.afterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), death.afterMs);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (text: Buffer) => (stdout += text.toString()));
  child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
  const guard = setTimeout(() => child.kill("SIGABRT"), HANGS_MS);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      clearTimeout(guard);
      resolve({ code, signal, stdout, stderr });
    });
  });
}

async function asked(handbook: Project, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr, code } = await live(handbook, [...args, "--json"]);
  if (code !== 0 && code !== 3) throw new Error(`${args.join(" ")}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Answer everything that waits, always in the same way. */
async function answerAll(handbook: Project): Promise<void> {
  const { entries } = (await asked(handbook, "inbox")) as { entries: { id: string; kind: string; task_id: string }[] };
  for (const { id, kind, task_id } of entries) {
    const words =
      kind === "question"
        ? ["answer", id, told(task_id)]
        : kind === "escalation"
          ? ["answer", id, "--order", "retry", "--note", told(task_id)]
          : ["approve", id];
    const { code, stdout, stderr } = await live(handbook, words);
    if (code !== 0) throw new Error(`${words.join(" ")}: ${stdout}${stderr}`);
  }
}

export interface Ended {
  readonly lives: readonly Life[];
  readonly run_id: string;
  readonly events: readonly Record<string, unknown>[];
}

/** One run to its end, each of its first lives ended as it says. Throws when a life ends in no way that is known. */
export async function toTheEnd(
  handbook: Project,
  deaths: readonly Death[],
  most: number,
  more: readonly string[] = [],
): Promise<Ended> {
  const lives: Life[] = [];
  let begin = true;
  while (lives.length < most) {
    const args = begin ? ["run", "--plan", "plan", ...more] : ["run", "--last"];
    const one = await live(handbook, args, deaths[lives.length]);
    lives.push(one);
    if (TELL !== undefined)
      appendFileSync(
        TELL,
        `--- ${JSON.stringify(deaths[lives.length - 1])} ${one.code} ${one.signal}\n${one.stdout}${one.stderr}`,
      );
    // One that died before its first commit has begun nothing.
    begin = begin && !one.stdout.includes("Watching") && (await live(handbook, ["status", "last"])).code !== 0;
    if (one.signal === "SIGKILL") continue;
    if (one.code === 0) return { lives, ...(await recorded(handbook)) };
    if (one.code !== 3) throw new Error(`life ${lives.length} ended with ${one.code}: ${one.stdout}${one.stderr}`);
    await answerAll(handbook);
  }
  throw new Error(`after ${most} lives the run is not over: ${lives.at(-1)?.stdout}`);
}

async function recorded(handbook: Project): Promise<Pick<Ended, "run_id" | "events">> {
  const { stdout } = await live(handbook, ["watch", "last", "--json"]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  const parsed = lines.map(
    (line) => JSON.parse(line) as { type: string; run_id: string; event: Record<string, unknown> },
  );
  return {
    run_id: parsed.find(({ type }) => type === "run")?.run_id ?? "",
    events: parsed.filter(({ type }) => type === "event").map(({ event }) => event),
  };
}
