import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import { ToolKind, type ToolUse } from "../../../model/scope.js";
import { fromRoot, pathsInRaw } from "./paths-in.js";

/*
 * One tool call of an agent as it is judged. Its parts come in pieces, in tool calls, updates and permission requests,
 * and each agent fills in others: the path is looked for in the diff and the locations, then in the raw arguments.
 */

export type CallParts = Partial<ToolCallUpdate>;

/** A call as known so far: later pieces replace, empty ones do not. */
export function mergeParts(known: CallParts | undefined, piece: CallParts): CallParts {
  const filled = Object.entries(piece).filter(([key, value]) => !isEmpty(value) || !(key in (known ?? {})));
  return { ...known, ...Object.fromEntries(filled) };
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

export function toolUse(parts: CallParts, stage: ToolUse["stage"], root: string): ToolUse {
  const raw = parts.rawInput;
  const title = parts.title ?? "";
  const kind = kindOf(parts);
  const command = kind === "execute" ? commandOf(raw, title) : null;
  return {
    tool_call_id: parts.toolCallId ?? "",
    stage,
    kind,
    title,
    paths: pathsOf(parts, kind, root),
    command,
    hosts: hostsOf(raw, kind, title),
  };
}

const READS = /^(?:read|view|cat|open|list|ls|tree|glob|grep|search|find|analyze)\b/i;
const WRITES = [
  "content",
  "file_text",
  "new_str",
  "new_string",
  "newText",
  "new_text",
  "replacement",
  "edits",
  "after",
];

/** Agents that call everything `other` still say what they do in the name and the arguments of the tool. */
function kindOf(parts: CallParts): ToolKind {
  const said = ToolKind.safeParse(parts.kind);
  if (said.success && said.data !== "other") return said.data;
  const raw = parts.rawInput;
  const name = toolName(parts);
  if (commandIn(raw) !== null) return "execute";
  const { named, to } = pathsInRaw(raw);
  if (to.length > 0) return "move";
  if (named.length > 0) {
    const keys = typeof raw === "object" && raw !== null ? Object.keys(raw) : [];
    if (/^(?:delete|remove|rm)\b/i.test(name)) return "delete";
    return READS.test(name) && !keys.some((key) => WRITES.includes(key)) ? "read" : "edit";
  }
  return urlIn(raw) === null ? "other" : "fetch";
}

function toolName(parts: CallParts): string {
  const goose = (parts._meta?.["goose"] as { toolCall?: { toolName?: string } } | undefined)?.toolCall?.toolName;
  return parts.name ?? goose ?? parts.title ?? "";
}

const READING = new Set<ToolKind>(["read", "search", "think", "fetch", "switch_mode"]);

function pathsOf(parts: CallParts, kind: ToolKind, root: string): ToolUse["paths"] {
  const cwd = cwdIn(parts.rawInput) ?? root;
  const access = kind === "delete" ? "delete" : READING.has(kind) ? "read" : "write";
  const found = new Map<string, ToolUse["paths"][number]>();
  const add = (path: string, as: ToolUse["paths"][number]["access"]) => {
    const relative = fromRoot(root, cwd, path);
    // The place a command is run in is not a path it touches.
    if (relative === "" && kind === "execute") return;
    found.set(`${as} ${relative}`, { path: relative === "" ? "." : relative, access: as });
  };
  const content = parts.content ?? [];
  for (const block of content) if (block.type === "diff") add(block.path, kind === "delete" ? "delete" : "write");
  const raw = pathsInRaw(parts.rawInput);
  const moves = kind === "move" && raw.to.length > 0;
  if (!moves) for (const { path } of parts.locations ?? []) add(path, access);
  if (moves) {
    for (const path of [...raw.from, ...raw.named]) add(path, "delete");
    for (const path of raw.to) add(path, "write");
  } else if (found.size === 0 && kind !== "execute")
    for (const path of [...raw.named, ...raw.to, ...raw.from]) add(path, access);
  return [...found.values()];
}

function commandOf(raw: unknown, title: string): string {
  return commandIn(raw) ?? title.replace(/^`+|`+$/g, "");
}

/** A command as it would be typed. A shell's own `-c` is taken off: what it runs is the command. */
function commandIn(raw: unknown): string | null {
  if (typeof raw !== "object" || raw === null) return null;
  const fields = raw as Readonly<Record<string, unknown>>;
  for (const key of ["command", "cmd", "script", "shell_command"]) {
    const value = fields[key];
    if (typeof value === "string" && value !== "") return value;
    if (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === "string")) {
      const [program = "", flag = "", text] = value;
      if (/(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-[a-z]*c$/.test(flag) && text !== undefined) return text;
      return value.map(quotedWord).join(" ");
    }
  }
  return null;
}

const quotedWord = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

function cwdIn(raw: unknown): string | null {
  const cwd = (raw as { cwd?: unknown; workdir?: unknown } | null | undefined)?.cwd;
  return typeof cwd === "string" && cwd.startsWith("/") ? cwd : null;
}

function urlIn(raw: unknown): string | null {
  const url = (raw as { url?: unknown } | null | undefined)?.url;
  return typeof url === "string" ? url : null;
}

function hostsOf(raw: unknown, kind: ToolKind, title: string): string[] {
  const texts = [urlIn(raw) ?? "", ...(kind === "fetch" ? [title, JSON.stringify(raw ?? "")] : [])];
  const found = texts.flatMap((text) =>
    [...text.matchAll(/\bhttps?:\/\/([^\s/"'\\?#]+)/gi)].map(([, host = ""]) => host),
  );
  return [...new Set(found.map((host) => host.replace(/^.*@/, "").replace(/:\d+$/, "").toLowerCase()))];
}
