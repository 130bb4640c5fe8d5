import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { ChunkRedactor } from "../../foundation/secrets/redact-chunks.js";
import type { AttemptNote } from "./attempt-order.js";

export interface MessageNotes {
  /** Contract: as `ShimContext.note`; everything is noted in the order it came. */
  readonly note: (note: AttemptNote) => void;
  /** Nothing more is said: what was held back is noted. */
  readonly end: () => void;
}

/**
 * An agent says a sentence in many pieces. They are noted by whole lines, so that a secret which is split over two pieces
 * is taken out like any other.
 */
export function collectLines(note: (note: AttemptNote) => void): MessageNotes {
  const said = new ChunkRedactor(withoutSecrets);
  const say = (text: string) => {
    if (text !== "") note({ type: "agent", event: { type: "message", text } });
  };
  return {
    note: (one) => {
      if (one.type === "agent" && one.event.type === "message") return say(said.take(one.event.text));
      // Reports of usage come in the middle of sentences.
      if (one.type !== "agent" || one.event.type !== "usage") say(said.end());
      note(one);
    },
    end: () => say(said.end()),
  };
}
