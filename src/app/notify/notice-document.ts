import type { NoticeAbout } from "../../model/settings/record-config.js";
import type { NotifyEffect } from "../../mind/run/notices.js";
import type { FoldedRun } from "../inspect/fold-run.js";
import { openEntries } from "../inspect/open-entries.js";

/** The notification for a program or an address: small, and never more than a person sees in the inbox. */
export interface NoticeDocument {
  readonly schema_version: "1.0.0";
  /** Equal for equal news, so that a receiver can drop repeats. */
  readonly id: string;
  readonly about: NoticeAbout;
  readonly project: string;
  readonly run_id: string;
  readonly at: string;
  readonly status: string;
  /** One sentence for people. */
  readonly message: string;
  readonly entry: { readonly id: string; readonly kind: string; readonly task_id: string | null } | null;
  /** The command to type next; null when there is none. */
  readonly next: string | null;
}

export interface NoticeFacts {
  readonly project: string;
  readonly at: string;
  /** Takes secrets out of a text. */
  readonly clean: (text: string) => string;
}

const MOST = 500;

/** Contract: pure. Every text that people or agents wrote is cleaned and cut. */
export function noticeDocument(effect: NotifyEffect, run: FoldedRun, facts: NoticeFacts): NoticeDocument {
  const cleanText = (text: string) => clip(facts.clean(text));
  const entry = openEntries(run, false).find(({ id }) => id === effect.entry) ?? null;
  const { completed, tasks, reason, status } = run.state;
  return {
    schema_version: "1.0.0",
    id: `${run.run_id}/${effect.id}`,
    about: effect.about,
    project: facts.project,
    run_id: run.run_id,
    at: facts.at,
    status,
    message:
      entry === null
        ? cleanText(`${run.run_id} ${status}: ${reason} (${completed} of ${tasks.length} tasks done)`)
        : cleanText(`${run.run_id} waits on you: ${entry.about}`),
    entry: entry === null ? null : { id: entry.id, kind: entry.kind, task_id: entry.task_id },
    next: entry === null ? `coordinator response ${run.run_id}` : (entry.commands[0] ?? null),
  };
}

function clip(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= MOST ? line : `${line.slice(0, MOST)}…`;
}
