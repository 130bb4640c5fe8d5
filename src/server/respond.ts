import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Problem } from "./problem.js";

/* How answers are written: JSON with a tag of its content, packed where the person who asks takes it packed. */

const pack = promisify(gzip);
const WORTH_PACKING = 1024;

/** Headers of every answer. No script or style stands inside of a page, and no other host is asked for anything. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

export async function jsonResponse(request: Request, value: unknown, status = 200): Promise<Response> {
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  const headers: Record<string, string> = {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "private, no-cache",
    vary: "Accept-Encoding",
  };
  if (status === 200 && (request.method === "GET" || request.method === "HEAD")) {
    const etag = `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
    headers["etag"] = etag;
    if (isKnown(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  }
  return packBody(request, body, status, headers);
}

export async function packBody(
  request: Request,
  body: Uint8Array,
  status: number,
  headers: Record<string, string>,
): Promise<Response> {
  if (body.byteLength < WORTH_PACKING || !takesGzip(request)) return new Response(plain(body), { status, headers });
  const small = await pack(body);
  return new Response(plain(small), { status, headers: { ...headers, "content-encoding": "gzip" } });
}

/** A view of exactly these bytes, as the types of `Response` want it. */
function plain(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

export function problemResponse(problem: Problem, more: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${JSON.stringify(problem)}\n`, {
    status: problem.status,
    headers: { "content-type": "application/problem+json; charset=utf-8", "cache-control": "no-store", ...more },
  });
}

export function takesGzip(request: Request): boolean {
  return (request.headers.get("accept-encoding") ?? "")
    .split(",")
    .some((part) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)[\d.]+)?\s*$/i.test(part));
}

function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((one) => one.trim() === "*" || one.trim() === etag);
}
