import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { CoordinatorError } from "../../model/errors.js";
import { LogKey } from "../../model/run.js";
import { PERMISSION_OPTIONS, permissionId, readPermission } from "../../mind/run/decide/permissions.js";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../exit-codes.js";
import { openRuns } from "../project/open-runs.js";
import type { StateFolder } from "../project/state-folder.js";
import { finish, type Finished } from "../report.js";
import type { PermissionAsked } from "../run-reports.js";
import { abandonRequest, newRecordId, openRecord, settleRequest } from "../request/record-request.js";
import { readOwnJson, removeOwnJson, writeOwnJson } from "../serve/own-json.js";
import { withRuns } from "../inspect/runs-at.js";
import { findDecision } from "./decided.js";

/*
 * Carries out the hook of a coding agent's program when the agent needs a permission: the request goes into the inbox, where
 * a person decides it, and the hook waits for that. A decision counts once, for the very same request of the same session.
 * Where nobody decides in time the agent is told that it still waits; asked again, the decision is there.
 */

export interface PermissionArguments {
  /** The input of the hook, from the program: one JSON document. */
  readonly input: string;
  readonly waitMs: number;
  /** Aborted when nobody waits for the decision any more, as when it was made in the program itself. */
  readonly stop: AbortSignal;
}

/** The fields of Claude Code's hook that count; it gives more. */
const HookInput = z.looseObject({
  hook_event_name: z.literal("PermissionRequest"),
  session_id: z.string(),
  tool_name: z.string(),
  tool_input: z.unknown(),
});
type HookInput = z.infer<typeof HookInput>;

/** Tools by which the program talks to its person: what they say is the answer, and no yes or no of ours. */
const TALKS_TO_ITS_PERSON: ReadonlySet<string> = new Set(["AskUserQuestion", "ExitPlanMode"]);

const PermissionReference = z.strictObject({ schema_version: z.literal("1.0.0"), record: LogKey });
const MOST_SHOWN = 8000;
const LOOK_MS = 250;

/** Contract: decides nothing. Without a project of Coordinator here nothing is asked, and the program asks its person itself. */
export async function askPermission(args: PermissionArguments, context: CommandContext): Promise<Finished> {
  const asked = readInput(args.input);
  const { at } = context.project;
  const leave = { state: "left", run_id: null, entry_id: null, words: "" } as const;
  if (TALKS_TO_ITS_PERSON.has(asked.tool_name) || !isSetUp(at)) return reportPermission(leave);
  const digest = digestOf(asked);
  const file = join(at.folder, "permissions", `${digest}.json`);
  const entry_id = permissionId(digest);
  const earlier = readOwnJson(file, PermissionReference)?.record ?? null;
  const isOpen = earlier !== null && (await stands(earlier, entry_id, context)) !== "over";
  const record = isOpen ? earlier : await openPermissionRecord(asked, entry_id, context);
  if (!isOpen) writeOwnJson(file, { schema_version: "1.0.0", record });
  const about = { run_id: record, entry_id };
  for (const until = performance.now() + args.waitMs; ;) {
    const found = await stands(record, entry_id, context);
    if (found !== "open") {
      removeOwnJson(file);
      return reportPermission(found === "over" ? { ...leave, run_id: record } : { ...about, ...found });
    }
    if (args.stop.aborted) {
      removeOwnJson(file);
      await withdraw(record, context);
      return reportPermission({ ...leave, run_id: record });
    }
    if (performance.now() >= until) return reportPermission({ ...about, state: "waiting", words: "" });
    await sleep(LOOK_MS, undefined, { signal: args.stop }).catch(() => undefined);
  }
}

type Said = Omit<PermissionAsked, "type">;
const reportPermission = (said: Said): Finished => finish(EXIT.done, { type: "permission", ...said });

function readInput(text: string): HookInput {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw wrongInput("it is not JSON", cause);
  }
  const read = HookInput.safeParse(value);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw wrongInput(`${first?.path.join(".") ?? ""}: ${first?.message ?? "invalid"}`, read.error);
}

const wrongInput = (what: string, cause: unknown) =>
  new CoordinatorError("DOCUMENT_INVALID", `What stands on stdin is not a request for permission: ${what}`, {
    cause,
    fix: "Claude Code's hook PermissionRequest starts this command. docs/guides/mcp.md shows how.",
  });

const isSetUp = ({ root, folder }: StateFolder) => existsSync(folder) || existsSync(join(root, "coordinator.yaml"));

const digestOf = ({ session_id, tool_name, tool_input }: HookInput) =>
  createHash("sha256")
    .update(JSON.stringify([session_id, tool_name, tool_input]))
    .digest("hex");

/** `open`: it waits. `over`: nobody can decide it any more, and nobody did. */
async function stands(
  record: string,
  entryId: string,
  { project }: CommandContext,
): Promise<Pick<Said, "state" | "words"> | "open" | "over"> {
  return withRuns(
    project,
    async (reader) => {
      const head = await reader.head(record);
      if (head === null) return "over";
      const became = await findDecision(reader, [{ run_id: record, sequence: head.sequence }], entryId);
      if (became === null) return "open";
      if (became.kind === "over" || became.event.type !== "question_answered") return "over";
      const said = readPermission(became.event.answer);
      if (said === null) return "over";
      return { state: said.allowed ? "allowed" : "denied", words: said.words };
    },
    () => "over" as const,
  );
}

async function openPermissionRecord(
  asked: HookInput,
  entryId: string,
  { project, parts }: CommandContext,
): Promise<string> {
  const { configuration } = await project.settings();
  const store = await openRuns(project.at);
  try {
    const now = parts.now();
    const record = newRecordId(now);
    const request = `Claude Code asks for permission to use ${asked.tool_name}`;
    const opened = { request_id: record, request, policy: configuration.run, now };
    await openRecord(store, record, opened);
    const question = `${request}: ${describeInput(asked)} (session ${asked.session_id.slice(0, 8)})`;
    await settleRequest(
      store,
      record,
      { decided: [], questions: [{ id: entryId, question, options: PERMISSION_OPTIONS }] },
      now,
    );
    return record;
  } finally {
    await store.close();
  }
}

/** A command as it would be run; the arguments of any other tool as JSON. It says where something is left out. */
function describeInput({ tool_input: input }: HookInput): string {
  const command = typeof input === "object" && input !== null && "command" in input ? input.command : undefined;
  const text = typeof command === "string" ? command : JSON.stringify(input ?? null);
  return text.length <= MOST_SHOWN
    ? text
    : `${text.slice(0, MOST_SHOWN)} … and ${text.length - MOST_SHOWN} characters that are not shown`;
}

async function withdraw(record: string, { project, parts }: CommandContext): Promise<void> {
  const store = await openRuns(project.at);
  try {
    await abandonRequest(store, record, "decided in the agent's own program, or not wanted any more", parts.now());
  } finally {
    await store.close();
  }
}
