import { z } from "zod";
import { hasFolder } from "../fold-path.js";
import { text } from "../primitives.js";

/*
 * The records that are kept of runs beyond their log, and the notices about them: where checkpoints are anchored, and what is started or
 * called when something waits on a person or a run ends.
 */

/** Names below `refs/coord/` that belong to runs, their bases and what was salvaged. */
const TAKEN = /^refs\/coord\/(?:run_|req_|_|salvage(?:\/|$)|bases(?:\/|$))/;
const REF = /^refs\/coord\/[A-Za-z0-9](?:[\w-]|[./](?=[A-Za-z0-9_-]))*$/;
const FILE = /^(?!(?:.*\/)?\.\.(?:\/|$))[^\0\n]+$/;
const isFile = (place: string) => FILE.test(place) && !hasFolder(place, ".git") && !hasFolder(place, ".coordinator");

/** Why this is not a place to anchor at; null when it is one. Contract: pure. */
export function anchorObjection(place: string): string | null {
  if (place === "git:") return null;
  if (!place.startsWith("git:"))
    return isFile(place) ? null : "must be a file outside of .git and .coordinator, written without ..";
  const ref = place.slice(4);
  if (!ref.startsWith("refs/coord/"))
    return "must be git: or a ref below refs/coord/, such as git:refs/coord/anchors: no other ref is written";
  if (TAKEN.test(ref)) return "must not be a ref of a run, a base or salvaged work: name one of your own";
  return REF.test(ref) && !ref.endsWith(".lock") ? null : "must be the name of a ref, such as git:refs/coord/anchors";
}

const AnchorPlace = text(1, 1024).check((ctx) => {
  const message = anchorObjection(ctx.value);
  if (message !== null) ctx.issues.push({ code: "custom", message, input: ctx.value });
});

export const RecordSettings = z.strictObject({
  anchor: z
    .union([AnchorPlace, z.array(AnchorPlace).max(10)], {
      error:
        "must be git:, a ref such as git:refs/coord/anchors, a file outside of .git and .coordinator, or a list of these",
    })
    .default([])
    .describe(
      "Where the signed checkpoints of every run are kept beside its log: a file, best on another disk or machine, " +
        "git: for refs/coord/anchors/RUN, or git:refs/coord/NAME for refs/coord/NAME/RUN.",
    ),
});
export type RecordSettings = z.infer<typeof RecordSettings>;

export const NoticeAbout = z.enum(["waiting", "ended", "failed"]);
export type NoticeAbout = z.infer<typeof NoticeAbout>;

export const NotifySettings = z
  .strictObject({
    command: z
      .array(text(1, 4096))
      .min(1)
      .max(100)
      .optional()
      .describe("A program of yours and its arguments. No shell; it gets one JSON document on its standard input."),
    webhook: z
      .url({ protocol: /^https?$/, error: "must be an address that begins with https:// or http://" })
      .optional()
      .describe("An address the same document is posted to."),
    events: z
      .array(NoticeAbout)
      .min(1)
      .max(3)
      .default(["waiting", "ended", "failed"])
      .describe("waiting: something waits on a person. ended: a run is over. failed: only one without its result."),
    seconds: z.number().min(0.1).max(120).default(10).describe("How long either may take before it is given up."),
  })
  .check((ctx) => {
    if (ctx.value.command === undefined && ctx.value.webhook === undefined)
      ctx.issues.push({ code: "custom", message: "needs a command or a webhook", input: ctx.value });
  });
export type NotifySettings = z.infer<typeof NotifySettings>;
