import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { OUTSIDE } from "../../hands/git/nothing-of-clone.js";
import type { EventOf } from "../../model/event.js";
import type { NotifySettings } from "../../model/settings/record-config.js";

export type NoticeWay = EventOf<"notification_sent">["ways"][number];

export interface SendPlace {
  /**
   * It is the person's own program: it gets their environment, and no sandbox. It is started in their home directory, never
   * in the project: many programs take code or settings from the folder they are started in.
   */
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Hand one document to the program and post it to the address that are configured.
 *
 * Contract: total; each way once, with its problem. No shell, no redirect, nothing of the answer is kept. The text of a problem
 * never names the address: it often is a secret.
 */
export async function sendNotice(document: string, settings: NotifySettings, place: SendPlace): Promise<NoticeWay[]> {
  const { command, webhook, seconds } = settings;
  const ways: NoticeWay[] = [];
  if (command !== undefined)
    ways.push({ way: "command", problem: await startProgram(command, document, seconds, place) });
  if (webhook !== undefined) ways.push({ way: "webhook", problem: await post(webhook, document, seconds) });
  return ways;
}

const MOST_SAID = 2000;

function startProgram(
  [program = "", ...args]: readonly string[],
  document: string,
  seconds: number,
  { environment }: SendPlace,
): Promise<string | null> {
  return new Promise((resolve) => {
    // A group of its own: whatever it started is ended with it when it takes too long.
    const cwd = existsSync(environment["HOME"] ?? "") ? environment["HOME"] : OUTSIDE;
    const child = spawn(program, args, { cwd, env: environment, stdio: ["pipe", "ignore", "pipe"], detached: true });
    let said = "";
    const timer = setTimeout(() => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has just ended by itself.
      }
      finish(`took longer than ${seconds} seconds`);
    }, seconds * 1000);
    const finish = (problem: string | null) => {
      clearTimeout(timer);
      // Anyone who it left behind may hold the pipe open: nobody waits for that.
      child.stderr.destroy();
      resolve(problem);
    };
    child.stderr.on("data", (chunk: Buffer) => {
      if (said.length < MOST_SAID) said += chunk.toString("utf8");
    });
    child.stdin.on("error", () => undefined);
    child.on("error", ({ message }) => finish(message));
    child.on("exit", (code, signal) => finish(code === 0 ? null : describeEnd(code, signal, said)));
    child.stdin.end(document);
  });
}

function describeEnd(code: number | null, signal: NodeJS.Signals | null, said: string): string {
  const how = code === null ? `ended by ${signal ?? "a signal"}` : `exit code ${code}`;
  const first = said.split("\n").find((line) => line.trim() !== "");
  return first === undefined ? how : `${how}: ${first.trim().slice(0, 300)}`;
}

async function post(address: string, document: string, seconds: number): Promise<string | null> {
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: document,
      redirect: "manual",
      signal: AbortSignal.timeout(seconds * 1000),
    });
    await answer.body?.cancel();
    return answer.ok ? null : `answered ${answer.status}`;
  } catch (error) {
    if ((error as Error).name === "TimeoutError") return `took longer than ${seconds} seconds`;
    const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
    return typeof code === "string" ? `could not be reached (${code})` : "could not be reached";
  }
}
