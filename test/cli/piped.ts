import { spawn } from "node:child_process";
import { join } from "node:path";
import { coordinator, type Ran, root } from "./program.js";

export interface Piped {
  readonly cwd?: string;
  /** Stop reading after this many bytes, as `head` does. */
  readonly readAtMost?: number;
}

/** Running it builds it when the source is newer. */
let built: Promise<Ran> | undefined;

/** Run the program with this text on its stdin. */
export async function piped(args: readonly string[], input: string | Uint8Array, options: Piped = {}): Promise<Ran> {
  await (built ??= coordinator(["--version"]));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, "dist", "cli", "main.js"), ...args], {
      cwd: options.cwd ?? root,
      env: { PATH: process.env["PATH"] ?? "", TZ: "UTC" },
      stdio: "pipe",
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      out.push(chunk);
      size += chunk.length;
      if (size > (options.readAtMost ?? Infinity)) child.stdout.destroy();
    });
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    // The program may end before it has read everything.
    child.stdin.on("error", () => undefined);
    child.on("error", reject);
    child.on("close", (code, signal) =>
      resolve({
        code,
        signal,
        stdout: Buffer.concat(out).toString("utf8"),
        stderr: Buffer.concat(err).toString("utf8"),
      }),
    );
    child.stdin.end(input);
  });
}

export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const ADDED = new Set(["context_file", "type", "policy_id", "response", "problems", "screen", "line", "id"]);

/** The decision as the specification has it, without what the program adds. */
export function bare(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !ADDED.has(name)));
}
