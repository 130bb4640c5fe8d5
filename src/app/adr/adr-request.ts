import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { readText } from "../../foundation/documents/read-document.js";
import type { GivenRecord } from "../../mind/request/request-flow.js";
import type { AdrSource } from "../../model/request-origin.js";
import { proposeFromAdr } from "../../mind/propose/adr-proposal.js";
import type { Planner } from "../../mind/propose/planner.js";
import type { Project } from "../project/project.js";
import { EXIT } from "../exit-codes.js";
import { fail, type Finished } from "../report.js";
import type { AdrRecord } from "../adr-reports.js";
import type { CommandContext } from "../command-context.js";
import { readAdrText } from "./adr-check.js";
import { findRecords } from "./adr-list.js";
import type { RequestOptions } from "../request/request-options.js";
import { inputFailure } from "../project/input-failure.js";
import { currentUser } from "../decide/current-user.js";

export interface AdrToRun {
  readonly file: string;
  /** A person approves it by this very command, though the record itself may only be proposed. */
  readonly approve: boolean;
}

export type AskedByAdr =
  | { readonly ok: true; readonly asking: Omit<RequestOptions, "out">; readonly source: AdrSource }
  | { readonly ok: false; readonly finished: Finished };

type Read = Extract<AdrRecord, { ok: true }>;

/**
 * Reads the request of a decision record. Contract: the file is only read. A record that gives no work says why; one that is
 * proposed gives work only when a person approves it, and the approval names them.
 */
export async function adrRequest(
  { file: named, approve }: AdrToRun,
  asking: Omit<RequestOptions, "out">,
  context: CommandContext,
): Promise<AskedByAdr> {
  const { cwd, project } = context;
  const file = await fileOf(named, cwd);
  if (typeof file !== "string") return { ok: false, finished: file };
  const { record, text } = await readAdrText(file, cwd);
  if (!record.ok) return { ok: false, finished: inputFailure(record.problems) };
  const { configuration, problems } = await context.project.settings();
  if (problems.length > 0) return { ok: false, finished: inputFailure(problems) };
  // A record that obliges in prose alone is cut into tasks by the planner, where somebody but the template does.
  const inProse = isInProse(record) && configuration.planner !== "template";
  const refused = refusal(record, file, approve, inProse);
  if (refused !== null) return { ok: false, finished: refused };
  const { adr, breakdown } = record;
  const source: AdrSource = {
    label: adr.label,
    file: relative(project.root, resolve(cwd, file)) || file,
    checksum: record.checksum,
    status: adr.status ?? "none",
    approved_by: approve ? currentUser(asking.by, context.project) : "the record",
  };
  const words = [
    `Implement ${adr.label}: ${adr.title ?? adr.label}.`,
    "",
    ...breakdown.tasks.map(({ title }) => `- ${title}`),
    ...(inProse ? breakdown.unclear.map(({ text: sentence }) => `- ${sentence}`) : []),
  ];
  return {
    ok: true,
    source,
    asking: {
      ...asking,
      words: words.join("\n"),
      adr: {
        source,
        planner: inProse ? undefined : adrPlanner(record),
        type: "technical",
        records: [{ ref: source.file, text, rule_id: "decision_record" }, ...(await relatedRecords(record, project))],
      },
    },
  };
}

/** The records that this one speaks of, as far as they are in the project: anyone who carries it out is given them too. */
async function relatedRecords({ adr }: Read, { root, cwd }: Project): Promise<GivenRecord[]> {
  if (adr.related.length === 0) return [];
  const names = new Set(adr.related.map((name) => name.toLowerCase()));
  const { records } = await findRecords(root, cwd);
  const related = records
    .filter((record) => record.ok)
    .filter((record) =>
      [record.adr.id, record.adr.label].some((name) => name !== null && names.has(name.toLowerCase())),
    )
    .filter((record) => record.adr.file !== resolve(cwd, adr.file))
    .slice(0, MOST_RELATED);
  const found: GivenRecord[] = [];
  for (const {
    adr: { file },
  } of related) {
    const read = await readText(file);
    if (read.ok) found.push({ ref: relative(root, file), text: read.text, rule_id: "decision_record_related" });
  }
  return found;
}

/** A record that points to more than this gives an overview, and no ground for one piece of work. */
const MOST_RELATED = 12;

/** A record may be named by what it is cited by, such as ADR-023, where exactly one is. */
async function fileOf(named: string, cwd: string): Promise<string | Finished> {
  if (!/^[A-Za-z]+-\d+(?:-[a-z0-9-]+)?$/.test(named) || existsSync(resolve(cwd, named))) return named;
  const { records } = await findRecords("", cwd);
  const name = named.toLowerCase();
  const read = records.filter((record) => record.ok).map(({ adr }) => adr);
  const exact = read.filter(({ label }) => label.toLowerCase() === name);
  const [, number] = /^adr-0*(\d+)$/.exec(name) ?? [];
  const found = exact.length > 0 ? exact : read.filter(({ id }) => number !== undefined && id === number);
  if (found.length < 2) return found[0]?.file ?? named;
  return fail(EXIT.invalid, "USAGE", `${named} is the number of ${found.length} records`, {
    fix: `Name the one that is meant: ${found.map(({ file }) => file).join(", ")}`,
  });
}

/** Its tasks are what the breakdown found: nobody has to think of others. */
function adrPlanner({ adr, breakdown }: Read): Planner {
  return {
    name: "adr",
    plan: ({ facts }) =>
      Promise.resolve({
        status: breakdown.omitted === 0 ? "success" : "partial",
        proposal: proposeFromAdr(adr.label, breakdown.tasks, facts),
        usage: null,
      }),
  };
}

/** It lists no work, and not all that it says in sentences could be turned into tasks. */
function isInProse({ breakdown }: Read): boolean {
  return !breakdown.listed && breakdown.unclear.length > 0;
}

function refusal({ adr, breakdown }: Read, file: string, approve: boolean, inProse: boolean): Finished | null {
  const approvable = adr.status === "proposed" || adr.status === null;
  if (breakdown.held !== null && !(approve && approvable))
    return fail(EXIT.refused, "ADR_HELD", breakdown.held, {
      fix: approvable
        ? `A person approves it: coordinator adr approve ${file}`
        : "Write a new record for what should be done; an old one is never changed.",
    });
  if (breakdown.tasks.length > 0 || inProse) return null;
  const [first] = breakdown.unclear;
  if (first !== undefined)
    return fail(
      EXIT.refused,
      "ADR_WITHOUT_TASKS",
      `${adr.label} obliges in prose: line ${first.line} could not be turned into a task.`,
      {
        fix: "List what is to be done, or configure a planner (planner: an agent or model:ID), which is given the record.",
      },
    );
  return fail(EXIT.refused, "ADR_WITHOUT_TASKS", `${adr.label} asks for nothing that a builder could do.`, {
    fix: "Tasks come from lists: implementation notes, next steps, action items. `coordinator adr check` shows them.",
  });
}
