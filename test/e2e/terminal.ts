import { spawn } from "node:child_process";
import { onTestFinished, vi } from "vitest";
import type { Asked } from "./asked.js";
import { PROGRAM } from "./project.js";

/* Somebody at a terminal: what they read, what they type, and how it ends. */

export interface Terminal {
  readonly read: () => string;
  /** Every byte the terminal got. */
  readonly raw: () => string;
  /** Type something when this is to be read, behind what was there when something was typed last. */
  readonly type: (keys: string, when: string) => Promise<void>;
  readonly ended: Promise<number | null>;
}

export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";

/** A real pseudo-terminal: `script` makes one and passes on what the program ends with. */
export function atTerminal(desk: Asked, args: readonly string[], columns = 80): Terminal {
  const words = [process.execPath, PROGRAM, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const command = `stty cols ${columns} rows 24; exec ${words.join(" ")}`;
  const child = spawn("script", ["-qfec", command, "/dev/null"], {
    cwd: desk.cwd,
    env: { ...desk.env, TERM: "xterm", SHELL: "/bin/sh", NO_COLOR: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let shown = "";
  let seen = 0;
  child.stdout.on("data", (piece: Buffer) => (shown += piece.toString("utf8")));
  const plain = () =>
    // oxlint-disable-next-line no-control-regex -- what a terminal is told beside the text
    shown.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, "").replaceAll("\r", "");
  return {
    read: plain,
    raw: () => shown,
    type: async (keys, when) => {
      await vi.waitFor(
        () => {
          const at = plain().indexOf(when, seen);
          if (at < 0) throw new Error(`${when} is not to be read in: ${plain().slice(seen)}`);
          seen = at + when.length;
        },
        { timeout: 60_000, interval: 20 },
      );
      child.stdin.write(keys);
    },
    ended: new Promise((resolve) => child.once("exit", resolve)),
  };
}
