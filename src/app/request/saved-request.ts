import { basename, join, relative, resolve } from "node:path";
import { z } from "zod";
import { openRecords } from "../../hands/attempts/run-records.js";
import { AdrSource, RequestAnswer } from "../../model/request-origin.js";
import { UserRequest } from "../../model/request.js";
import { InputType } from "../../model/routing.js";
import { RunPolicy } from "../../model/run.js";
import type { StateFolder } from "../project/state-folder.js";
import type { RequestOptions } from "./request-options.js";

/*
 * The options of a request, saved beside its log: resuming it repeats the same request with the same time, so
 * that a session that was begun is found again and the same answers give the same plan.
 */

const Kept = z.strictObject({
  schema_version: z.literal("1.0.0"),
  request: UserRequest,
  by: z.string(),
  /** Answers given beforehand, with --clarify. */
  clarified: z.array(RequestAnswer),
  type: InputType.optional(),
  policy: z.string().optional(),
  registries: z.array(z.string()),
  facts: z.string().optional(),
  memory: z.string().optional(),
  adr: AdrSource.optional(),
  /** The work queue its tasks are from. */
  queue: z.string().optional(),
  /** The name of the folder its plan is written to. */
  plan: z.string(),
  again: z.string(),
  run: z.strictObject({
    agent: z.string().optional(),
    maxConcurrent: z.int().min(1).optional(),
    schedule: RunPolicy.shape.schedule.optional(),
    coordinatorMode: RunPolicy.shape.coordinator_mode.optional(),
    again: z.boolean().optional(),
  }),
});

/** How it is carried out, as far as that is kept: going on without a sandbox has to be said each time. */
export type KeptRun = z.infer<typeof Kept>["run"];

/** A request that is asked: everything of it is settled but the answers that are still to come. */
export interface PreparedRequest {
  readonly request: UserRequest;
  readonly asking: RequestOptions & { readonly by: string; readonly out: string };
  readonly clarified: readonly RequestAnswer[];
  readonly run: KeptRun;
}

const RECORD = "asking";
const recordsOf = ({ folder }: StateFolder, record: string) => openRecords(join(folder, "records", record));

/** Contract: durable when it resolves. */
export async function saveRequest(at: StateFolder, record: string, asked: PreparedRequest, cwd: string): Promise<void> {
  const { request, asking, clarified, run } = asked;
  const { policy, registries, facts, memory, adr, queue, again } = asking;
  const { agent, maxConcurrent, schedule, coordinatorMode } = run;
  const kept: z.input<typeof Kept> = {
    schema_version: "1.0.0",
    request,
    by: asking.by,
    clarified: [...clarified],
    type: asking.type,
    policy: absolute(policy, cwd),
    registries: registries.map((path) => resolve(cwd, path)),
    facts: absolute(facts, cwd),
    memory: absolute(memory, cwd),
    adr: adr?.source,
    queue: queue?.file,
    plan: basename(asking.out),
    again,
    run: { agent, maxConcurrent, schedule, coordinatorMode, again: run.again },
  };
  await recordsOf(at, record).write(RECORD, kept);
}

export interface SavedRequest extends Omit<PreparedRequest, "asking"> {
  /** The decision record it was asked by has to be read again. */
  readonly asking: Omit<PreparedRequest["asking"], "adr" | "queue">;
  readonly adr: AdrSource | null;
  /** So has the work queue. */
  readonly queue: string | null;
}

/** Null when nothing was kept, as by an earlier version, or when it cannot be read. */
export async function readSavedRequest(at: StateFolder, record: string, cwd: string): Promise<SavedRequest | null> {
  const read = Kept.safeParse(await recordsOf(at, record).read(RECORD));
  if (!read.success) return null;
  const { request, by, clarified, type, policy, registries, facts, memory, adr, queue, plan, again, run } = read.data;
  return {
    request,
    clarified,
    run,
    adr: adr ?? null,
    queue: queue ?? null,
    asking: {
      words: request.user_request,
      request,
      now: request.timestamp,
      by,
      clarify: undefined,
      // The preferences are in the request.
      model: undefined,
      maxTokens: undefined,
      maxSeconds: undefined,
      type,
      policy,
      registries,
      facts,
      memory,
      out: plansFolder(at, plan, cwd),
      again,
    },
  };
}

/** Whether two requests are equal; their time and id do not count. */
export function isSameAsking(
  kept: Omit<PreparedRequest, "run">,
  asked: Omit<PreparedRequest, "run">,
  cwd: string,
): boolean {
  const contentOf = ({ request, asking, clarified }: Omit<PreparedRequest, "run">) =>
    JSON.stringify([
      request.user_request,
      request.context ?? {},
      request.attachments ?? [],
      asking.by,
      asking.type,
      clarified.map(({ id, answer }) => [id, answer]),
      [asking.policy, asking.facts, asking.memory].map((path) => absolute(path, cwd)),
      asking.registries.map((path) => resolve(cwd, path)),
      asking.adr?.source,
      asking.queue?.file,
    ]);
  return contentOf(kept) === contentOf(asked);
}

/** A plan of the project by the name of its folder, as it is typed at `cwd`. */
export function plansFolder({ folder }: StateFolder, name: string, cwd: string): string {
  return relative(cwd, join(folder, "plans", name));
}

function absolute(path: string | undefined, cwd: string): string | undefined {
  return path === undefined ? undefined : resolve(cwd, path);
}
