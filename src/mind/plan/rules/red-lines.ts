import { type Diagnostic, documentPath } from "../../../model/diagnostic.js";
import { SemVer } from "../../../model/primitives.js";

/*
 * The red lines, looked for on the raw document and before its schema, so that a breach is reported as one even where
 * the schema would refuse the document too.
 *
 * I1  no execution payload anywhere in the intent
 * I2  full_auto asks nothing: question_budget 0, question_policy never
 * I3  high or critical risk is never full_auto
 * I4  evidence on every command
 * (I5, registry only, is data a person can mend and is judged against the registry.)
 */
export type RedLine = "I1" | "I2" | "I3" | "I4";

export interface Breach extends Diagnostic {
  readonly code: `RED_LINE_${RedLine}`;
}

/** Names under which documents carry something to execute, once case and separators are gone. */
const PAYLOAD_NAMES = new Set([
  "execute",
  "executes",
  "exec",
  "eval",
  "run",
  "runs",
  "shell",
  "sh",
  "bash",
  "zsh",
  "cmd",
  "python",
  "python3",
  "perl",
  "ruby",
  "powershell",
  "pwsh",
  "subprocess",
  "spawn",
  "popen",
  "commandline",
  "script",
  "scripts",
]);

/** Words that make a payload of any longer name they stand in: shell_command, run-script, bashCode. */
const PAYLOAD_WORDS = new Set([
  "shell",
  "bash",
  "powershell",
  "pwsh",
  "subprocess",
  "popen",
  "exec",
  "eval",
  "cmdline",
  "script",
]);

export function isPayloadKey(key: string): boolean {
  if (PAYLOAD_NAMES.has(key)) return true;
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const joined = words.join("");
  return PAYLOAD_NAMES.has(joined) || (words.length > 1 && words.some((word) => PAYLOAD_WORDS.has(word)));
}

/** Every breach of I1 to I4 in a raw document. Contract: total; a document of any shape gives a list. */
export function findBreaches(document: unknown): Breach[] {
  const breaches: Breach[] = [];
  const intent = record(document);
  const { registry_versions: versions, ...rest } = intent;
  collectPayloads(Array.isArray(document) ? document : rest, [], breaches, new Map());
  collectPayloads(withoutPinnedIds(versions), ["registry_versions"], breaches, new Map());
  const interaction = record(intent["interaction"]);
  const risk = record(intent["risk"]);
  if (interaction["mode"] === "full_auto") {
    if (interaction["question_budget"] !== 0)
      breaches.push(
        breach("I2", "interaction.question_budget", "full_auto asks nothing: the question budget must be 0"),
      );
    if (interaction["question_policy"] !== "never")
      breaches.push(
        breach("I2", "interaction.question_policy", "full_auto asks nothing: the question policy must be never"),
      );
    if (risk["overall"] === "high" || risk["overall"] === "critical")
      breaches.push(breach("I3", "interaction.mode", `a plan of ${risk["overall"]} risk must not be full_auto`));
  }
  const commands = Array.isArray(intent["planned_commands"]) ? (intent["planned_commands"] as unknown[]) : [];
  for (const [index, raw] of commands.entries()) {
    const refs = record(raw)["evidence_refs"];
    if (!Array.isArray(refs) || refs.every((ref) => typeof ref !== "string" || ref.trim() === ""))
      breaches.push(breach("I4", `planned_commands[${index}].evidence_refs`, "a planned command needs evidence"));
  }
  return breaches;
}

/**
 * registry_versions maps entry ids to versions, and an id such as write_migration is not a payload. Only pins
 * whose value is a version are passed over; anything else under such a name is looked at like the rest.
 */
function withoutPinnedIds(versions: unknown): unknown {
  const kinds = Object.entries(record(versions)).map(([kind, pins]) => {
    const others = Object.entries(record(pins)).filter(([, pin]) => !SemVer.safeParse(pin).success);
    return [kind, Array.isArray(pins) ? pins : Object.fromEntries(others)] as const;
  });
  return Object.fromEntries(kinds);
}

/** Documents are at most 64 levels deep when they get here (the reader refuses deeper ones), so recursion is safe. */
function collectPayloads(
  value: unknown,
  path: (string | number)[],
  breaches: Breach[],
  known: Map<string, boolean>,
): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (typeof value[i] !== "object") continue;
      path.push(i);
      collectPayloads(value[i], path, breaches, known);
      path.pop();
    }
    return;
  }
  for (const key of Object.keys(value)) {
    let payload = known.get(key);
    if (payload === undefined) known.set(key, (payload = isPayloadKey(key)));
    if (payload)
      breaches.push(
        breach("I1", documentPath([...path, key]), `"${key}" carries something to execute; an intent only plans`),
      );
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner !== "object") continue;
    path.push(key);
    collectPayloads(inner, path, breaches, known);
    path.pop();
  }
}

function breach(line: RedLine, path: string, message: string): Breach {
  return { code: `RED_LINE_${line}`, path, message };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
