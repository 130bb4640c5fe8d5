import { words } from "../format.ts";

/* A state is shown by its word and a sign; the colour only repeats it. */

const SIGNS: Readonly<Record<string, readonly [sign: string, tone: string]>> = {
  completed: ["✓", "good"],
  done: ["✓", "good"],
  PASS: ["✓", "good"],
  in_progress: ["▶", "busy"],
  running: ["▶", "busy"],
  blocked: ["‖", "wait"],
  BLOCKED: ["‖", "wait"],
  waiting: ["‖", "wait"],
  failed: ["✕", "bad"],
  FAIL: ["✕", "bad"],
  cancelled: ["–", "quiet"],
  rejected: ["–", "quiet"],
  dropped: ["–", "quiet"],
  pending: ["○", "quiet"],
};

/** Whether nothing more happens in a run of this status. */
export const isOver = (status: string) => status === "completed" || status === "failed";

export function toneOf(status: string): string {
  return SIGNS[status]?.[1] ?? "quiet";
}

/** The sign stays beside its word. */
const NO_BREAK = "\u00a0";

export function Status({ of, note }: { readonly of: string; readonly note?: string | null }) {
  const [sign, tone] = SIGNS[of] ?? ["○", "quiet"];
  return (
    <span className={`status ${tone}`}>
      <span aria-hidden="true">{sign}</span>
      {NO_BREAK}
      {words(of)}
      {note ? `: ${words(note)}` : ""}
    </span>
  );
}
