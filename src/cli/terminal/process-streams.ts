import { once } from "node:events";
import { oneLine } from "../../foundation/text/one-line.js";
import type { Streams } from "../../app/streams.js";
import { removeUnseen } from "../views/human/screen.js";

export function streamsOf({ stdin, stdout, stderr }: NodeJS.Process): Streams {
  return {
    input: stdin as AsyncIterable<Uint8Array>,
    write: async (text) => {
      if (!stdout.write(text)) await once(stdout, "drain");
    },
    note: (message) => {
      stderr.write(`Note: ${removeUnseen(oneLine(message), { color: false })}\n`);
    },
  };
}
