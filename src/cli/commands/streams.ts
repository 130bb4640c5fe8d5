import { once } from "node:events";
import { harmless, oneLine } from "../views/human/screen.js";

/** What a command that reads or writes as it goes has of the process. */
export interface Streams {
  readonly input: AsyncIterable<Uint8Array>;
  /** Write to stdout; done when there is room for more. */
  readonly write: (text: string) => Promise<void>;
  /** Tell the person who asks something beside the result; goes to stderr. */
  readonly note: (message: string) => void;
}

export function streamsOf({ stdin, stdout, stderr }: NodeJS.Process): Streams {
  return {
    input: stdin as AsyncIterable<Uint8Array>,
    write: async (text) => {
      if (!stdout.write(text)) await once(stdout, "drain");
    },
    note: (message) => {
      stderr.write(`Note: ${harmless(oneLine(message), { color: false })}\n`);
    },
  };
}
