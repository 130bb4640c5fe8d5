import { join } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import { type JsoncObject, type JsoncProblem, type JsoncValue, readJsonc } from "../../foundation/documents/jsonc.js";
import type { McpClient } from "../../model/settings/mcp-client.js";
import { withoutRegistration } from "./mcp-clients-removal.js";

/*
 * Registers `coordinator mcp` with programs of coding agents: a few lines in a file of theirs. They are put in as one piece and
 * taken out as that same piece, so that nothing else of the file changes, comments and other servers included.
 */

interface ClientFile {
  readonly title: string;
  readonly form: "json" | "toml";
  readonly path: (root: string, home: string, environment: NodeJS.ProcessEnv) => string;
  /** For JSON: the object that lists servers, and what stands there for this one. */
  readonly list: string;
  readonly entry: object;
}

const NAME = "coordinator";
const STDIO = { command: NAME, args: ["mcp"] };

export const CLIENT_FILES: Readonly<Record<McpClient, ClientFile>> = {
  claude: {
    title: "Claude Code",
    form: "json",
    path: (root) => join(root, ".mcp.json"),
    list: "mcpServers",
    entry: STDIO,
  },
  codex: {
    title: "Codex",
    form: "toml",
    path: (_, home, environment) => join(environment["CODEX_HOME"] ?? join(home, ".codex"), "config.toml"),
    list: "mcp_servers",
    entry: STDIO,
  },
  cursor: {
    title: "Cursor",
    form: "json",
    path: (root) => join(root, ".cursor", "mcp.json"),
    list: "mcpServers",
    entry: STDIO,
  },
  vscode: {
    title: "VS Code",
    form: "json",
    path: (root) => join(root, ".vscode", "mcp.json"),
    list: "servers",
    entry: { type: "stdio", ...STDIO },
  },
  opencode: {
    title: "opencode",
    form: "json",
    path: (root) => join(root, "opencode.json"),
    list: "mcp",
    entry: { type: "local", command: [NAME, "mcp"], enabled: true },
  },
};

/** One piece of text that is put into a file. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

export type Registration =
  | { readonly status: "new"; readonly insertion: Insertion }
  | { readonly status: "already" }
  | { readonly status: "broken"; readonly problem: JsoncProblem };

/** Computes the new file of a client; `before` is null where there is none. Contract: pure. */
export function registrationIn(client: McpClient, before: string | null): Registration {
  const file = CLIENT_FILES[client];
  return file.form === "toml" ? registrationInToml(file, before ?? "") : registrationInJson(file, before);
}

/**
 * A file without what a registration put into it. Contract: pure. Null where that is not there any more, or says
 * something else by now.
 */
export function withoutServer(client: McpClient, text: string, inserted: string): string | null {
  const { form, list } = CLIENT_FILES[client];
  return withoutRegistration({ form, list, name: NAME }, text, inserted);
}

function registrationInJson({ list, entry }: ClientFile, before: string | null): Registration {
  if (before === null || before.trim() === "") {
    const text = `${JSON.stringify({ [list]: { [NAME]: entry } }, null, 2)}\n`;
    return { status: "new", insertion: { at: before?.length ?? 0, text } };
  }
  const read = readJsonc(before);
  if (!read.ok) return { status: "broken", problem: read.problem };
  if (read.value.kind !== "object") return notAnObject(before, read.value, "");
  const servers = propertyOf(read.value, list);
  if (servers === null) return insertFirst(read.value, `"${list}": ${indent({ [NAME]: entry }, 1)}`, 1);
  if (servers.kind !== "object") return notAnObject(before, servers, list);
  if (propertyOf(servers, NAME) !== null) return { status: "already" };
  return insertFirst(servers, `"${NAME}": ${indent(entry, 2)}`, 2);
}

/** Right behind the opening brace, where neither a comma nor a comment of the last property is in the way. */
function insertFirst({ start, properties }: JsoncObject, property: string, depth: number): Registration {
  const comma = properties.length === 0 ? "" : ",";
  return { status: "new", insertion: { at: start + 1, text: `\n${"  ".repeat(depth)}${property}${comma}` } };
}

function indent(value: object, depth: number): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${"  ".repeat(depth)}`);
}

function propertyOf({ properties }: JsoncObject, key: string): JsoncValue | null {
  return properties.findLast((property) => property.key === key)?.value ?? null;
}

function notAnObject(text: string, { start }: JsoncValue, key: string): Registration {
  const lines = text.slice(0, start).split("\n");
  const message = `${key === "" ? "The document" : key} is not an object`;
  return { status: "broken", problem: { line: lines.length, column: (lines.at(-1) ?? "").length + 1, message } };
}

function registrationInToml({ list, entry }: ClientFile, before: string): Registration {
  let read: Record<string, unknown>;
  try {
    read = parseToml(before);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [message = "is not TOML"] = error.message.split("\n");
    return { status: "broken", problem: { line: error.line, column: error.column, message } };
  }
  const servers = read[list];
  if (typeof servers === "object" && servers !== null && Object.hasOwn(servers, NAME)) return { status: "already" };
  if (servers !== undefined && (typeof servers !== "object" || servers === null))
    return { status: "broken", problem: { line: 1, column: 1, message: `${list} is not a table` } };
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const gap = before === "" ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  const text = `${gap}# Written by coordinator init --mcp codex; coordinator init --remove takes it out.\n[${list}.${NAME}]\n${lines.join("\n")}\n`;
  return { status: "new", insertion: { at: before.length, text } };
}
