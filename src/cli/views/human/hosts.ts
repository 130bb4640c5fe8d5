import type { HostReport, HostSynced, IssuePlanned, RunPublished } from "../../../app/host-reports.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import type { Paint } from "./screen.js";

export function hostText(report: HostReport, paint: Paint): string[] {
  switch (report.type) {
    case "published":
      return publishedText(report, paint);
    case "issue":
      return issueText(report, paint);
    case "synced":
      return syncedText(report, paint);
  }
}

const HOW = {
  created: "opened",
  adopted: "was there and stays",
  updated: "was there and has the new text",
  merged: "was merged already",
} as const;

function publishedText({ run_id, repository, status, waits, parts, drafts }: RunPublished, paint: Paint): string[] {
  const done = parts.flatMap(({ pull, address, branch, base, head, how, notes }) => [
    `${paint.good("+ published")}  #${pull} ${HOW[how]}: ${oneLine(address)}`,
    `  ${branch} onto ${base}, head ${head.slice(0, 12)}, status coordinator/verified`,
    ...notes.map((note) => `  ${paint.bad("!")} ${oneLine(note)}`),
  ]);
  const shown = drafts.flatMap(({ branch, base, head, title, body }) => [
    `Would push ${head.slice(0, 12)} to ${branch} of ${repository} and open a pull request onto ${base}:`,
    "",
    `# ${title}`,
    "",
    ...body.split("\n"),
  ]);
  const left =
    status !== "waiting" || waits === null
      ? []
      : [
          `${paint.bad("~ waits")}  ${run_id}: ${oneLine(waits.reason)}`,
          `Fix: coordinator publish ${run_id}${waits.until === null ? " sends the rest, when the host answers." : ` after ${waits.until} sends the rest.`}`,
        ];
  return [...done, ...shown, ...left, ...(status === "dry_run" ? ["", "Nothing was sent."] : [])];
}

function issueText(
  { run_id, address, status, plan_checksum, removed, refused, next }: IssuePlanned,
  paint: Paint,
): string[] {
  const said = {
    waiting: `~ waits  ${run_id}: the plan is in a comment of ${address} and is not approved yet`,
    stale: `~ stale  ${run_id}: ${address} was changed after it was planned, so its plan cannot be approved`,
    approved: `+ approved  ${run_id}: the plan of ${address}`,
  }[status];
  return [
    status === "approved" ? paint.good(said) : paint.bad(said),
    `  checksum ${plan_checksum}`,
    ...removed.map((what) => `  taken out of the issue before it was read: ${oneLine(what)}`),
    ...refused.map((why) => `  does not count: ${oneLine(why)}`),
    ...(status === "waiting" ? [`  there, by a new comment: /coordinator approve ${plan_checksum.slice(0, 12)}`] : []),
    ...next.map((command) => `Next: ${command}`),
  ];
}

const ROUND = {
  waiting: "its plan stands in a comment there and is not approved yet",
  stale: "what it was made of was changed, so its plan is not approved any more",
  working: "its plan is approved",
  published: "its commit is on the pull request, and every thread has an answer",
  unplanned: "no plan was made of it",
  over: "its plan was declined",
} as const;

function syncedText({ repository, sent, labelled, issues, runs, follow_ups }: HostSynced, paint: Paint): string[] {
  if (sent.length + labelled.length + issues.length + runs.length + follow_ups.length === 0)
    return [`Nothing of ${repository} waits.`];
  return [
    ...sent.map(({ run_id, status, reason }) =>
      status === "published"
        ? paint.good(`+ published  ${run_id}: its pull request waited and is sent now`)
        : paint.bad(`~ ${status === "waiting" ? "waits" : "refused"}  ${run_id}: ${oneLine(reason ?? "")}`),
    ),
    ...labelled.map(({ number, status, reason }) =>
      status === "planned"
        ? paint.good(`+ planned  #${number}, by its label`)
        : paint.bad(`${status === "held" ? "~ held" : "x not planned"}  #${number}: ${oneLine(reason ?? "")}`),
    ),
    ...issues.flatMap(({ run_id, number, status, by, refused }) => [
      `#${number}  ${run_id}: ${status === "approved" ? paint.good(`approved by ${by ?? "a person"}`) : paint.bad(status)}`,
      ...refused.map((why) => `  does not count: ${oneLine(why)}`),
      ...(status === "approved" ? [`Next: coordinator run --resume ${run_id}`] : []),
    ]),
    ...runs.flatMap(({ run_id, pull, address, is_our_head, remarks, checks }) => [
      `#${pull}  ${run_id}: ${oneLine(address)}`,
      ...(is_our_head ? [] : ["  a person pushed to it: what is said there is theirs to answer"]),
      ...remarks.map(
        ({ by, path, line, text }) =>
          `  ${oneLine(by)} at ${oneLine(path)}${line === null ? "" : `:${line}`}: ${oneLine(text).slice(0, 300)}`,
      ),
      ...checks.map(
        ({ name, conclusion, address: where }) =>
          `  ${paint.bad("x")} ${oneLine(name)}: ${conclusion} ${oneLine(where)}`,
      ),
    ]),
    ...follow_ups.flatMap(({ run_id, pull, round, status, plan_checksum, head, notes }) => [
      `#${pull}  round ${round}${run_id === null ? "" : `, ${run_id}`}: ${ROUND[status]}`,
      ...(head === null ? [] : [`  head ${head.slice(0, 12)}`]),
      ...notes.map((note) => `  ${oneLine(note)}`),
      ...(status === "waiting" && plan_checksum !== null
        ? [`  there, by a new comment: /coordinator approve ${plan_checksum.slice(0, 12)}`]
        : []),
    ]),
  ];
}
