import { chmodSync } from "node:fs";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import type { OpenSandbox } from "../../../src/hands/sandbox/open-sandbox.js";

/* One program of a clone in its sandbox, and a program of the person outside that opens a socket while it runs. */

export async function runShell(
  sandbox: OpenSandbox,
  script: string,
  env: Readonly<Record<string, string>>,
  lateSocket?: string,
): Promise<string> {
  let outside: ReturnType<typeof createServer> | null = null;
  try {
    const started = sandbox.spawn({ argv: ["/bin/sh", "-c", script], env });
    started.stderr.resume();
    if (lateSocket !== undefined) {
      outside = createServer((socket) => socket.end("OUTSIDE"));
      // The program inside says a first line when it runs, and waits for one on its input.
      await new Promise((resolve) => started.stdout.once("readable", resolve));
      await new Promise<void>((resolve) => outside?.listen(lateSocket, resolve));
      // Also for a sandbox that runs as another user.
      chmodSync(lateSocket, 0o777);
    }
    started.stdin.end("go\n");
    const said = await text(started.stdout);
    await started.exited;
    return said;
  } finally {
    outside?.close();
    await sandbox.close();
  }
}
