import type { Diagnostic } from "../../model/diagnostic.js";
import { hasLoneSurrogate, positionAt } from "./position.js";
import { findJsonProblems } from "./scan-json.js";

export interface JsonLimits {
  /** The size of the text in UTF-8; 64 MiB unless told. */
  readonly maxBytes?: number;
  /** How deep arrays and objects may nest; 64 unless told. */
  readonly maxDepth?: number;
}

export type JsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
export const DEFAULT_MAX_DEPTH = 64;

const BYTE_ORDER_MARK = 0xfeff;

/**
 * Read strict JSON and refuse what two programs could read differently: duplicate keys, NUL, halves of surrogate
 * pairs, `__proto__` as a key. A leading byte order mark is dropped.
 *
 * Contract: pure, never throws, never recurses. A good document costs one scan, one JSON.parse and one walk; positions
 * are only worked out for a bad one.
 */
export function parseJson(text: string, limits: JsonLimits = {}): JsonResult {
  const maxBytes = limits.maxBytes ?? DEFAULT_MAX_BYTES;
  if (isLonger(text, maxBytes)) return refuse(tooLarge(maxBytes));
  const body = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  const nul = body.indexOf("\0");
  if (nul >= 0)
    return refuse({
      code: "DOCUMENT_NUL",
      path: "",
      message: "contains a NUL byte",
      ...positionAt(body, nul),
      fix: "Save the file as UTF-8 text.",
    });

  const maxDepth = limits.maxDepth ?? DEFAULT_MAX_DEPTH;
  const seen = quickScan(body, maxDepth);
  if (seen.tooDeepAt >= 0) return refuse(tooDeep(maxDepth, positionAt(body, seen.tooDeepAt)));

  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { ok: false, diagnostics: findJsonProblems(body) };
  }
  const keys = countKeys(value);
  // JSON.parse keeps one of two equal keys, so fewer keys than colons means that one was lost.
  if (keys.count === seen.colons && !keys.forbidden && !seen.suspicious) return { ok: true, value };
  const diagnostics = findJsonProblems(body);
  return diagnostics.length === 0 ? { ok: true, value } : { ok: false, diagnostics };
}

export function tooLarge(maxBytes: number): Diagnostic {
  return {
    code: "DOCUMENT_TOO_LARGE",
    path: "",
    message: `is larger than ${maxBytes} bytes`,
    fix: "Split the document or raise the limit.",
  };
}

export function tooDeep(maxDepth: number, position: { line: number; column: number }): Diagnostic {
  return {
    code: "DOCUMENT_TOO_DEEP",
    path: "",
    message: `nests deeper than ${maxDepth} levels`,
    ...position,
    fix: "Flatten the document.",
  };
}

/** Whether the text takes more than `maxBytes` in UTF-8, counted only when its length leaves that open. */
export function isLonger(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

interface QuickScan {
  /** Colons outside strings: in valid JSON, the number of keys written. */
  readonly colons: number;
  /** An escape or a character that the exact scan has to look at. */
  readonly suspicious: boolean;
  /** Where the nesting first exceeds the limit, or -1. */
  readonly tooDeepAt: number;
}

function quickScan(text: string, maxDepth: number): QuickScan {
  let depth = 0;
  let colons = 0;
  let suspicious = false;
  let surrogates = false;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        for (i++; i < text.length; i++) {
          const unit = text.charCodeAt(i);
          if (unit === 0x22) break;
          if (unit === 0x5c) {
            i++;
            if (text.charCodeAt(i) === 0x75 && !suspicious)
              suspicious = /^(?:0000|[dD][89a-fA-F])/.test(text.slice(i + 1, i + 5));
          } else if (unit >= 0xd800 && unit <= 0xdfff) {
            surrogates = true;
          }
        }
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth++;
        if (depth > maxDepth) return { colons, suspicious, tooDeepAt: i };
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x3a: // :
        colons++;
        break;
    }
  }
  return { colons, suspicious: suspicious || (surrogates && hasLoneSurrogate(text)), tooDeepAt: -1 };
}

function countKeys(root: unknown): { count: number; forbidden: boolean } {
  let count = 0;
  let forbidden = false;
  const open: object[] = typeof root === "object" && root !== null ? [root] : [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) {
      for (let i = 0; i < next.length; i++) {
        const child: unknown = next[i];
        if (typeof child === "object" && child !== null) open.push(child);
      }
      continue;
    }
    if (Object.hasOwn(next, "__proto__")) forbidden = true;
    // JSON.parse makes objects whose keys are all their own.
    for (const key in next) {
      count++;
      const child = (next as Readonly<Record<string, unknown>>)[key];
      if (typeof child === "object" && child !== null) open.push(child);
    }
  }
  return { count, forbidden };
}

function refuse(diagnostic: Diagnostic): JsonResult {
  return { ok: false, diagnostics: [diagnostic] };
}
