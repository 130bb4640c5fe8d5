import { z } from "zod";

/*
 * Scripts of the scripted agent. A script stands in the prompt, in a block marked `script`, or in a file; it is
 * checked whole before its first step is taken.
 */

const path = z.string().min(1).max(4096);
/** `ask: false`: does it without asking, whatever the profile. `report: false`: and does not tell either. */
const action = { ask: z.boolean().optional(), report: z.boolean().optional() };

export const Step = z.union([
  z.strictObject({ plan: z.array(z.string()) }),
  z.strictObject({ say: z.string() }),
  z.strictObject({ think: z.string() }),
  z.strictObject({ read: path, ...action }),
  z.strictObject({ write: path, text: z.string(), ...action }),
  z.strictObject({ edit: path, replace: z.string(), with: z.string(), ...action }),
  z.strictObject({ delete: path, ...action }),
  z.strictObject({ move: path, to: path, ...action }),
  z.strictObject({ run: z.string().min(1), ...action }),
  z.strictObject({ fetch: z.url(), ...action }),
  z.strictObject({
    mcp: z.string().min(1),
    tool: z.string().min(1),
    arguments: z.record(z.string(), z.json()).default({}),
  }),
  z.strictObject({ ask: z.string().min(1) }),
  z.strictObject({ answer: z.json() }),
  z.strictObject({ promise: z.boolean() }),
  z.strictObject({
    usage: z.strictObject({ in: z.int().min(0), out: z.int().min(0), cost_usd: z.number().min(0).optional() }),
  }),
  z.strictObject({ mode: z.string() }),
  z.strictObject({ tell_model: z.literal(true) }),
  z.strictObject({ model: z.string().min(1) }),
  z.strictObject({ stop: z.string() }),
  z.strictObject({ sleep: z.number().min(0).max(3_600_000) }),
  z.strictObject({ hang: z.literal(true), ignore_cancel: z.boolean().optional() }),
  z.strictObject({ exit: z.int().min(0).max(255) }),
  z.strictObject({ kill: z.literal(true) }),
  z.strictObject({ print: z.string() }),
  z.strictObject({ flood: z.int().min(1), line: z.boolean().optional() }),
  z.strictObject({ daemon: z.string().min(1) }),
  z.strictObject({ fail: z.strictObject({ code: z.int(), message: z.string(), data: z.json().optional() }) }),
]);
export type Step = z.infer<typeof Step>;

const Steps = z.array(Step).min(1).max(10_000);

const Script = z.union([
  Steps,
  z.strictObject({
    tasks: z
      .array(
        z.strictObject({
          prompt_has: z.string().min(1),
          attempt: z.int().min(1).optional(),
          /** A later prompt of the same session, counted from one. */
          iteration: z.int().min(1).optional(),
          steps: Steps,
        }),
      )
      .default([]),
    otherwise: Steps.optional(),
  }),
]);

export type ScriptFound =
  | { readonly ok: true; readonly steps: readonly Step[] }
  | { readonly ok: false; readonly message: string };

const BLOCK = /^```script[ \t]*\n([\s\S]*?)^```[ \t]*$/m;

/** Which prompt of which attempt the script is asked about. */
export interface ScriptPlace {
  readonly attempt: number;
  readonly iteration: number;
}

/**
 * The steps for a prompt: its own script, else what the file says of a prompt like it in this attempt and iteration. A
 * later prompt that nobody wrote steps for gets what the first one says of the promise, and nothing else is done.
 */
export function findScript(
  prompt: string,
  file: { readonly name: string; readonly text: string } | null,
  { attempt, iteration }: ScriptPlace = { attempt: 1, iteration: 1 },
): ScriptFound {
  const [, block] = BLOCK.exec(prompt) ?? [];
  const place = { attempt, iteration };
  if (block !== undefined) return readScript(block, prompt.replace(BLOCK, ""), place, "the script in the prompt");
  if (file !== null) return readScript(file.text, prompt, place, file.name);
  return {
    ok: false,
    message: "there is no script: put one into the prompt, in a block marked script, or name a file",
  };
}

function readScript(text: string, prompt: string, { attempt, iteration }: ScriptPlace, where: string): ScriptFound {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, message: `${where} is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const script = Script.safeParse(value);
  if (!script.success) return { ok: false, message: `${where}: ${problemsOf(value)}` };
  if (Array.isArray(script.data)) return { ok: true, steps: iteration === 1 ? script.data : idle(script.data) };
  const { tasks, otherwise } = script.data;
  const isMeant = (task: (typeof tasks)[number], at: number) =>
    prompt.includes(task.prompt_has) &&
    (task.attempt === undefined || task.attempt === attempt) &&
    (task.iteration ?? 1) === at;
  const stepsAt = (at: number) => tasks.find((task) => isMeant(task, at))?.steps;
  const first = stepsAt(1) ?? otherwise;
  const steps = stepsAt(iteration) ?? (iteration === 1 ? first : idle(first ?? []));
  if (steps !== undefined) return { ok: true, steps };
  return { ok: false, message: `${where} has no task for this prompt and says nothing of others` };
}

const idle = (first: readonly Step[]) => first.filter((step) => "promise" in step);

/** A union only says that nothing matched: each step is looked at by itself, by the key that names it. */
function problemsOf(value: unknown): string {
  const lists = Array.isArray(value)
    ? [value]
    : [
        ...((value as { tasks?: { steps?: unknown }[] } | null)?.tasks ?? []).map(({ steps }) => steps),
        (value as { otherwise?: unknown } | null)?.otherwise,
      ].filter(Array.isArray);
  const bad = lists.flatMap((steps) =>
    (steps as unknown[]).flatMap((step, at) =>
      Step.safeParse(step).success ? [] : [`step ${at + 1} ${whyNot(step)}`],
    ),
  );
  return bad.length > 0 ? bad.slice(0, 5).join("; ") : "it is neither a list of steps nor a list of tasks with steps";
}

function whyNot(step: unknown): string {
  if (typeof step !== "object" || step === null) return "is not an object";
  for (const form of Step.options) {
    const [name = ""] = Object.keys(form.shape);
    // `ask` is a step of its own and a field of others: those are named by their first field.
    if (!(name in step) || (name === "ask" && Object.keys(step).length > 1)) continue;
    const { error } = form.safeParse(step);
    return `(${name}): ${error?.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`.trim()).join(", ") ?? ""}`;
  }
  return `is none that is known: ${JSON.stringify(step).slice(0, 80)}`;
}
