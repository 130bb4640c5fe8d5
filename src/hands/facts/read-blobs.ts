import { startGit } from "../git/start-git.js";
import { gitCommand } from "./git.js";

/**
 * The contents of blobs, one after another in the order they were asked for.
 *
 * Contract: nothing of the repository is run. `take` is called once for each blob that is there and is text of at most
 * `most` bytes; false when git failed or went away before the end.
 */
export function readBlobs(
  repo: string,
  environment: NodeJS.ProcessEnv,
  ids: readonly string[],
  most: number,
  take: (at: number, text: string) => void,
): Promise<boolean> {
  if (ids.length === 0) return Promise.resolve(true);
  const { words, cwd, env } = gitCommand(repo, environment);
  return new Promise((resolve) => {
    const child = startGit([...words, "cat-file", "--batch"], { cwd, env });
    child.stderr.resume();
    const reader = batchReader(most, take);
    child.stdout.on("data", (chunk: Buffer) => reader.feed(chunk));
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0 && reader.seen() === ids.length));
    // A git that ends early closes the pipe; `close` reports that it did.
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${ids.join("\n")}\n`);
  });
}

/** Reads `ID blob SIZE\nCONTENT\n` and `ID missing\n`, however the bytes are cut. */
function batchReader(most: number, take: (at: number, text: string) => void) {
  let at = 0;
  let pending: Buffer[] = [];
  let held = 0;
  /** Bytes of the present content with its newline; null while a header is read. */
  let size: number | null = null;
  const join = (): Buffer => {
    const whole = pending.length === 1 && pending[0] !== undefined ? pending[0] : Buffer.concat(pending, held);
    pending = [whole];
    return whole;
  };
  const drop = (bytes: number, whole: Buffer) => {
    const rest = whole.subarray(bytes);
    pending = rest.length === 0 ? [] : [rest];
    held = rest.length;
  };
  return {
    seen: () => at,
    feed: (chunk: Buffer) => {
      pending.push(chunk);
      held += chunk.length;
      for (;;) {
        if (size === null) {
          if (held === 0) return;
          const whole = join();
          const end = whole.indexOf(10);
          if (end === -1) return;
          const header = whole.subarray(0, end).toString("latin1");
          drop(end + 1, whole);
          const bytes = / (?:blob|commit|tag|tree) (\d+)$/.exec(header)?.[1];
          if (bytes === undefined) at++;
          else size = Number(bytes) + 1;
          continue;
        }
        if (held < size) return;
        const whole = join();
        if (size - 1 <= most) {
          const content = whole.subarray(0, size - 1);
          if (!content.subarray(0, 8000).includes(0)) take(at, content.toString("utf8"));
        }
        drop(size, whole);
        size = null;
        at++;
      }
    },
  };
}
