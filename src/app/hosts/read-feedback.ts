import { createHash } from "node:crypto";
import type { CodeHost, HostPull, HostRemark } from "../../hands/hosts/code-host.js";
import { cleanHostText } from "../../mind/publish/host-text.js";
import { isOurs, markerOf } from "../../mind/publish/marker.js";
import type { StateFolder } from "../project/state-folder.js";
import type { RunFeedback } from "../host-reports.js";
import { lastFollowUp } from "./follow-up-records.js";
import type { Outbox } from "./outbox.js";
import { STATUS_CONTEXT } from "./publish-part.js";

/* Remarks and checks of a pull request whose head is ours. After a person's push the branch is theirs. */

/** A thread that people wrote to since our last answer. */
export interface OpenThread {
  readonly thread: string;
  /** Who wrote last. */
  readonly author: { readonly id: number; readonly login: string };
  readonly path: string;
  readonly line: number | null;
  readonly text: string;
  readonly removed: readonly string[];
  readonly address: string;
  /** Of what the host gave: a text that is edited has another. */
  readonly checksum: string;
}

export interface PullFeedback {
  readonly run_id: string;
  readonly part: string;
  readonly pull: HostPull;
  readonly isOurHead: boolean;
  readonly head: string;
  readonly threads: readonly OpenThread[];
  readonly checks: RunFeedback["checks"];
}

const RED = new Set(["failure", "timed_out", "action_required", "startup_failure"]);

/** The remarks on every open pull request of a run. */
export async function readFeedback(
  { run_id, parts }: Outbox,
  host: CodeHost,
  ours: number,
  at: StateFolder,
): Promise<PullFeedback[]> {
  const found: PullFeedback[] = [];
  for (const { part, pull: number, head: published, pushed } of parts) {
    if (number === null) continue;
    const pull = await host.readPull(number);
    if (pull.state === "closed" || !isOurs(pull, markerOf(run_id, part), ours)) continue;
    const head = lastFollowUp(at, run_id, number)?.head ?? pushed ?? published;
    const isOurHead = pull.head.commit === head;
    const threads = isOurHead ? openThreads(await host.listRemarks(number), ours) : [];
    const checks = (isOurHead ? await host.listChecks(head) : [])
      .filter(({ name, conclusion }) => name !== STATUS_CONTEXT && conclusion !== null && RED.has(conclusion))
      .map(({ name, conclusion, summary, address }) => ({
        name,
        conclusion: conclusion ?? "",
        summary: cleanHostText(summary).text.slice(0, 2000),
        address,
      }));
    found.push({ run_id, part, pull, isOurHead, head, threads, checks });
  }
  return found;
}

/** Contract: programs and ourselves say nothing. A thread with an answer of ours is open again when a person writes after it. */
export function openThreads(remarks: readonly HostRemark[], ours: number): OpenThread[] {
  const threads = new Map<string, HostRemark[]>();
  for (const remark of remarks) threads.set(remark.thread, [...(threads.get(remark.thread) ?? []), remark]);
  return [...threads].flatMap(([thread, said]) => {
    const answered = said.findLastIndex(({ author }) => author?.id === ours);
    const open = said.slice(answered + 1).filter(({ author }) => author !== null && !author.isBot);
    const last = open.at(-1);
    if (last?.author == null) return [];
    const cleaned = open.map(({ body }) => cleanHostText(body));
    const { id, login } = last.author;
    const first = said[0] ?? last;
    return [
      {
        thread,
        author: { id, login },
        path: first.path,
        line: first.line,
        text: cleaned.map(({ text }) => text).join("\n\n"),
        removed: cleaned.flatMap(({ removed }) => removed),
        address: last.address,
        checksum: createHash("sha256")
          .update(JSON.stringify(open.map(({ id: comment, body }) => [comment, body])))
          .digest("hex"),
      },
    ];
  });
}

export function feedbackReport({ run_id, part, pull, isOurHead, threads, checks }: PullFeedback): RunFeedback {
  const remarks = threads.map(({ thread, author, path, line, text, address }) => {
    return { thread, by: author.login, path, line, text: text.slice(0, 2000), address };
  });
  const { number, address } = pull;
  return { run_id, part, pull: number, address, is_our_head: isOurHead, remarks, checks };
}
