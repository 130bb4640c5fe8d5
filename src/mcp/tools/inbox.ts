import { z } from "zod";
import { answererOfEntry } from "../../app/decide/answerer.js";
import { currentUser } from "../../app/decide/current-user.js";
import { useCases } from "../../app/coordinator.js";
import { findEntry } from "../../app/inspect/find.js";
import type { OpenEntry } from "../../app/inspect/open-entries.js";
import { CoordinatorError } from "../../model/errors.js";
import { text } from "../../model/primitives.js";
import { Entry, entryOf, NextStep, QUOTED, expectReport, RunId, stepFor } from "../shared.js";
import { describeAnswerer, READS, tool, type Tool, type ToolCall, WRITES } from "../tool.js";

/* Entries that wait on people, and the questions among them that an agent may answer. */

const WAIT_MS = 5000;

export const INBOX: readonly Tool[] = [
  tool({
    name: "inbox",
    title: "What waits",
    description:
      "Everything that waits on people, over all runs, oldest first: approvals, reviews, questions, escalations. Each entry " +
      "says who may answer it and what a person types.",
    command: "inbox",
    input: z.strictObject({}),
    output: z.object({
      open: z.int(),
      entries: z.array(Entry),
      stalled: z.array(z.object({ run_id: z.string(), done: z.int(), total: z.int() })),
      pull_requests: z
        .array(
          z.object({
            run_id: z.string(),
            address: z.string(),
            remarks: z.array(z.string()).describe("Remarks of people there, quoted."),
            red_checks: z.array(z.string()),
          }),
        )
        .describe("What was said on pull requests of runs; a person types coordinator sync to look again."),
      note: z.string(),
      next_step: NextStep,
    }),
    annotations: READS,
    handle: async (_, { context }) => {
      const found = expectReport(await useCases.showInbox(context), "inbox");
      const entries = found.entries.map((entry) => entryOf(entry, context));
      const stalled = found.standing.map(({ run_id, done, total }) => ({ run_id, done, total }));
      const [first] = stalled;
      const next_step =
        entries.length === 0 && first !== undefined
          ? `${first.run_id} waits on nobody and is not worked on: call run.`
          : stepFor(entries);
      const pull_requests = (found.on_host ?? []).map(({ run_id, address, remarks, checks }) => ({
        run_id,
        address,
        remarks: remarks.map(
          ({ by, path, line, text: said }) => `${by} at ${path}${line === null ? "" : `:${line}`}: ${said}`,
        ),
        red_checks: checks.map(({ name, conclusion }) => `${name}: ${conclusion}`),
      }));
      return { open: entries.length, entries, stalled, pull_requests, note: QUOTED, next_step };
    },
  }),
  tool({
    name: "answer",
    title: "Answer a question",
    description:
      "Answer a question of the inbox. With text: your own answer, which is logged as an agent's; only where answered_by is " +
      "agent. Without text: the person is asked in a form of this client. Approvals, reviews, waivers, merges, budgets and " +
      "trust are never decided here.",
    command: "answer",
    input: z.strictObject({
      entry_id: text(1, 400).describe("The entry_id of an entry of the inbox."),
      run_id: RunId.optional().describe("The run it belongs to, where several have the same id."),
      text: text(1, 20_000).optional().describe("Your answer. Leave it out to have the person asked."),
    }),
    output: z.object({
      run_id: z.string(),
      entry_id: z.string(),
      state: z.enum(["answered", "still_waiting"]),
      by: z.string().nullable().describe("Whose answer the log has."),
      why: z.string().nullable(),
      command: z.string().nullable().describe("What a person types instead."),
      url: z.string().nullable(),
      next_step: NextStep,
    }),
    annotations: WRITES,
    handle: async ({ entry_id, run_id, text: said }, call) => {
      const entry = await openEntry(entry_id, run_id, call);
      const answerer = answererOfEntry(entry);
      if (answerer === "person") return listStillWaiting(entry, describeAnswerer("person"), call);
      if (said !== undefined && answerer !== "agent")
        return listStillWaiting(entry, "It is the person's to answer: call answer without a text.", call);
      if (said !== undefined) return send(entry, said, "agent", call);
      const form = call.form(entry.id, questionFor(entry));
      if (form.status === "answered") return send(entry, form.text, "person", call);
      return listStillWaiting(
        entry,
        form.status === "unavailable"
          ? "This client shows no forms."
          : "The form was closed without an answer, which is not an answer.",
        call,
      );
    },
  }),
];

async function openEntry(id: string, run: string | undefined, { context }: ToolCall): Promise<OpenEntry> {
  const { entries } = expectReport(await useCases.showInbox(context), "inbox");
  const wanted = run === undefined || run === "last" ? null : run;
  try {
    return findEntry(entries, id, wanted);
  } catch (error) {
    if (!(error instanceof CoordinatorError) || error.code !== "NOT_FOUND") throw error;
    throw new CoordinatorError("NOT_FOUND", error.message, { fix: "Call inbox: it lists what waits." });
  }
}

function questionFor({ about, asked, options }: OpenEntry): string {
  const hint = options.length === 0 ? "" : `\nAnswers that would do: ${options.join(" · ")}`;
  return `Coordinator asks about "${asked.slice(0, 200)}":\n${about}${hint}`;
}

function listStillWaiting(entry: OpenEntry, why: string, { context }: ToolCall) {
  const { commands, url } = entryOf(entry, context);
  const [command = "coordinator inbox"] = commands;
  return {
    run_id: entry.run_id,
    entry_id: entry.id,
    state: "still_waiting" as const,
    by: null,
    why,
    command,
    url,
    next_step: `It still waits. Ask the person to type: ${command}${url === null ? "" : `, or to open ${url}`}`,
  };
}

async function send(entry: OpenEntry, said: string, how: "agent" | "person", call: ToolCall) {
  const { context, client } = call;
  const person = currentUser(undefined, context.project);
  const by = how === "agent" ? `${client} for ${person}` : person;
  const finished = await useCases.decideEntry(
    {
      id: entry.id,
      decision: { kind: "text", text: said },
      by: how === "agent" ? by : undefined,
      as: undefined,
      run: entry.run_id,
      waitMs: WAIT_MS,
      via: "mcp",
      how,
    },
    context,
  );
  const sent = expectReport(finished, "decision");
  if (sent.status === "refused") return listStillWaiting(entry, sent.reason ?? "It was refused.", call);
  return {
    run_id: entry.run_id,
    entry_id: entry.id,
    state: "answered" as const,
    by,
    why: null,
    command: null,
    url: null,
    next_step: `Call run with run_id ${entry.run_id}: it goes on with the answer.`,
  };
}
