import { extname } from "node:path";
import { z } from "zod";
import { parseJson } from "../../foundation/documents/json-text.js";
import type { PathSegments, Position } from "../../foundation/documents/position.js";
import { readText, type TakenFrom } from "../../foundation/documents/read-document.js";
import { locateInJson } from "../../foundation/documents/scan-json.js";
import { parseYaml, YAML_MAX_BYTES, type YamlDocument } from "../../foundation/documents/yaml-text.js";
import { diagnosticsOf, documentPath, type Diagnostic } from "../../model/diagnostic.js";
import { CoordinatorError } from "../../model/errors.js";
import {
  AgentEntry,
  CommandEntry,
  FactEntry,
  GuardrailEntry,
  ModelEntry,
  RuleEntry,
  WorkflowEntry,
  type RegistryEntry,
} from "../../model/plan/registry.js";
import type { Kind, RegistryFile } from "./registry-files.js";

/** Where an entry was read from. Paths given to `diagnostic` begin at the entry. */
export interface ReadEntry {
  readonly entry: RegistryEntry;
  readonly file: string;
  readonly position: Position;
  /** Where the text of a rule's condition begins. */
  readonly whenPosition: Position | null;
  readonly diagnostic: (code: string, path: PathSegments, message: string, fix: string) => Diagnostic;
}

export interface ReadEntries {
  readonly entries: readonly ReadEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

const SCHEMAS = {
  workflow: WorkflowEntry,
  agent: AgentEntry,
  command: CommandEntry,
  rule: RuleEntry,
  fact: FactEntry,
  model: ModelEntry,
  guardrail: GuardrailEntry,
} satisfies Record<Kind, z.ZodObject>;

/** Read every entry of one file. Valid entries are returned beside the problems of the others. */
export async function readEntries({ kind, file }: RegistryFile, options: TakenFrom = {}): Promise<ReadEntries> {
  const documents = await readDocuments(file, options);
  if (!documents.ok) return { entries: [], diagnostics: documents.diagnostics };
  const entries: ReadEntry[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const document of documents.documents) {
    const candidates: { value: unknown; base: PathSegments }[] = Array.isArray(document.value)
      ? document.value.map((value: unknown, index) => ({ value, base: [index] }))
      : [{ value: document.value, base: [] }];
    for (const { value, base } of candidates) {
      const read = readEntry({ kind, file, document, base, value });
      if (Array.isArray(read)) diagnostics.push(...read);
      else entries.push(read);
    }
  }
  return { entries, diagnostics };
}

type Documents =
  | { readonly ok: true; readonly documents: readonly YamlDocument[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

async function readDocuments(file: string, options: TakenFrom): Promise<Documents> {
  let text: string;
  try {
    const read = await readText(file, YAML_MAX_BYTES, options);
    if (!read.ok) return read;
    text = read.text;
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    const fix = error.fix ?? "Check the file.";
    return { ok: false, diagnostics: [{ code: "REGISTRY_UNREADABLE", path: "", file, message: error.message, fix }] };
  }
  if (extname(file) !== ".json") return parseYaml(text, file);
  const parsed = parseJson(text);
  if (!parsed.ok) return { ok: false, diagnostics: parsed.diagnostics.map((diagnostic) => ({ ...diagnostic, file })) };
  const locate = (path: PathSegments) => locateInJson(text, path).value;
  const locateKey = (path: PathSegments) => locateInJson(text, path).key;
  const locateText = (path: PathSegments) => {
    const { line, column } = locate(path);
    return { line, column: column + 1 };
  };
  return { ok: true, documents: [{ value: parsed.value, locate, locateKey, locateText }] };
}

interface Candidate {
  readonly kind: Kind;
  readonly file: string;
  readonly document: YamlDocument;
  readonly base: PathSegments;
  readonly value: unknown;
}

function readEntry({ kind, file, document, base, value }: Candidate): ReadEntry | Diagnostic[] {
  const place = (path: PathSegments, position: Position) => ({
    path: documentPath([...base, ...path]),
    file,
    ...position,
  });
  const invalid = "REGISTRY_ENTRY_INVALID";
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const message = "is not an entry: expected fields such as id, version, status and title";
    return [{ code: invalid, message, ...place([], document.locate(base)), fix: `Write one ${kind} here.` }];
  }
  const stated = (value as { kind?: unknown }).kind;
  if (stated !== undefined && stated !== kind) {
    const message = `says ${JSON.stringify(stated)}, but the folder holds entries of the kind ${kind}`;
    const fix = "Leave kind out, or move the entry into the folder of its kind.";
    return [{ code: invalid, message, ...place(["kind"], document.locate([...base, "kind"])), fix }];
  }

  const parsed = SCHEMAS[kind].safeParse({ ...value, kind });
  if (!parsed.success) return problemsOf(parsed.error, { kind, file, document, base, value });
  const diagnostic: ReadEntry["diagnostic"] = (code, path, message, fix) => ({
    code,
    message,
    ...place(path, document.locate([...base, ...path])),
    fix,
  });
  const entry: RegistryEntry = parsed.data;
  if (entry.kind === "fact" && entry.default !== undefined && !isOfType(entry.default, entry.type))
    return [diagnostic(invalid, ["default"], `is not of the type ${entry.type}`, "Change the default or the type.")];
  return {
    entry,
    file,
    position: document.locate(base),
    whenPosition: hasCondition(entry) ? document.locateText([...base, "when"]) : null,
    diagnostic,
  };
}

function hasCondition(entry: RegistryEntry): boolean {
  return (entry.kind === "rule" || entry.kind === "guardrail") && entry.when !== undefined;
}

function problemsOf(error: z.ZodError, { kind, file, document, base, value }: Candidate): Diagnostic[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path as (string | number)[];
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({
        code: "REGISTRY_ENTRY_INVALID",
        message: `is not a field of a ${kind}`,
        path: documentPath([...base, ...path, key]),
        file,
        ...document.locateKey([...base, ...path, key]),
        fix: unknownFieldFix(kind, path, key),
      }));
    const absent = issue.code === "invalid_type" && valueAt(value, path) === undefined;
    const [diagnostic] = diagnosticsOf(new z.ZodError([issue]), "REGISTRY_ENTRY_INVALID");
    return {
      code: "REGISTRY_ENTRY_INVALID",
      message: absent ? "is missing" : (diagnostic?.message ?? issue.message),
      path: documentPath([...base, ...path]),
      file,
      ...document.locate([...base, ...path]),
      fix: fixOf(issue, path, valueAt(value, path)),
    };
  });
}

function fixOf(issue: z.core.$ZodIssue, path: PathSegments, given: unknown): string {
  if (issue.code !== "invalid_type") return "Correct this field.";
  if (given === undefined) return `Add the field ${String(path.at(-1))}.`;
  // YAML reads 1.0 as a number and true as a bool.
  const unquoted = issue.expected === "string" && (typeof given === "number" || typeof given === "boolean");
  return unquoted ? "Put the value in quotes." : "Correct this field.";
}

function valueAt(value: unknown, path: PathSegments): unknown {
  let found = value;
  for (const segment of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = (found as Record<string | number, unknown>)[segment];
  }
  return found;
}

/** The field the author most likely meant, for a field of the entry itself. */
function unknownFieldFix(kind: Kind, path: PathSegments, key: string): string {
  if (path.length > 0) return "Remove it or correct its name.";
  const fields = Object.keys(SCHEMAS[kind].shape);
  const nearest = fields.find((field) => distance(field, key) <= 2);
  return nearest === undefined ? `The fields are ${fields.join(", ")}.` : `Did you mean ${nearest}?`;
}

/** Levenshtein's distance. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function isOfType(value: unknown, type: FactEntry["type"]): boolean {
  if (type === "strings") return Array.isArray(value);
  return typeof value === (type === "bool" ? "boolean" : type);
}
