import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import { request as httpsRequest } from "node:https";
import { compileGlob, isPlainPath } from "../../../foundation/globs/glob.js";
import { redactStream } from "./redact-stream.js";
import { type ModelTraffic, readUsage } from "./traffic.js";

export interface KeyProxyOptions {
  /** Where the model is: `https://api.example.com`. Plain http only on this machine itself. */
  readonly upstream: string;
  /** Permitted requests: a method and a path, in which `*` stands for anything within one segment. */
  readonly allow: readonly { readonly method: string; readonly path: string }[];
  /** Headers that carry the key. They are added outside of the sandbox and taken out of every answer. */
  readonly headers: Readonly<Record<string, string>>;
}

interface KeyProxy {
  readonly server: Server;
  readonly traffic: () => ModelTraffic;
}

// Headers that belong to one connection and not to the message, and those that would be used in place of the key.
const NOT_PASSED_UP = new Set(
  (
    "connection keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade host expect " +
    "accept-encoding authorization x-api-key x-goog-api-key api-key cookie"
  ).split(" "),
);
const NOT_PASSED_DOWN = new Set(["connection", "keep-alive", "transfer-encoding", "trailer", "upgrade", "set-cookie"]);
const MAX_BODY = 64 * 1024 * 1024;

/**
 * A way to one model and to nothing else: the agent asks without a key, and the key is put in here.
 *
 * Contract: answers 403 to whatever is not listed and sends nothing upstream for it.
 */
export function keyProxy(options: KeyProxyOptions): KeyProxy {
  const upstream = upstreamOf(options.upstream);
  const allowed = options.allow.map(({ method, path }) => ({
    method: method.toUpperCase(),
    matches: compileGlob(path),
  }));
  const secrets = Object.values(options.headers).flatMap((value) => [value, value.replace(/^\S+ /, "")]);
  const count = {
    requests: 0,
    refused: 0,
    answered: 0,
    unauthorized: 0,
    bytes_up: 0,
    bytes_down: 0,
    input_tokens: 0,
    output_tokens: 0,
    unmetered: 0,
  };

  const server = createServer({ maxHeaderSize: 64 * 1024 }, (asked, answer) => {
    const way = wayOf(asked.url ?? "");
    const method = asked.method ?? "";
    if (way === null || !allowed.some((route) => route.method === method && route.matches(way.path))) {
      count.refused++;
      return refuse(asked, answer, 403, "This is not among what the agent may ask.");
    }
    count.requests++;
    pass(asked, answer, `${upstream.pathname.replace(/\/$/, "")}${way.path}${way.query}`);
  });
  // An answer of a model may take longer than any of these would allow.
  server.requestTimeout = 0;

  function pass(asked: IncomingMessage, answer: ServerResponse, path: string): void {
    const send = upstream.protocol === "https:" ? httpsRequest : httpRequest;
    const headers = { ...passedHeaders(asked), ...lowerCaseNames(options.headers), host: upstream.host };
    const { hostname, port, protocol } = upstream;
    const host = hostname.replace(/^\[|\]$/g, "");
    const up = send({ protocol, hostname: host, port, path, headers, method: asked.method ?? "GET" });
    let body = 0;
    asked.on("data", (chunk: Buffer) => {
      count.bytes_up += chunk.length;
      body += chunk.length;
      if (body > MAX_BODY) up.destroy(new Error("too large"));
    });
    asked.pipe(up);
    up.on("error", () => {
      if (answer.headersSent) answer.destroy();
      else refuse(asked, answer, 502, "The model cannot be reached.");
    });
    answer.on("close", () => up.destroy());
    up.on("response", (got) => {
      const usage = readUsage(got.headers["content-type"] ?? "");
      if (got.statusCode === 401 || got.statusCode === 403) count.unauthorized++;
      else if ((got.statusCode ?? 500) < 300) count.answered++;
      answer.writeHead(got.statusCode ?? 502, answeredHeaders(got, secrets));
      // At once: anyone who reads a stream wants to know that it has begun.
      answer.flushHeaders();
      got.on("data", (chunk: Buffer) => {
        count.bytes_down += chunk.length;
        usage.push(chunk);
      });
      got.on("error", () => answer.destroy());
      got.on("close", () => {
        const tokens = usage.end();
        if (tokens !== null) {
          count.input_tokens += tokens.input;
          count.output_tokens += tokens.output;
        } else if (asked.method === "POST" && (got.statusCode ?? 0) < 300) count.unmetered++;
      });
      got.pipe(redactStream(secrets)).pipe(answer);
    });
  }
  return { server, traffic: () => ({ ...count }) };
}

function upstreamOf(text: string): URL {
  const url = new URL(text);
  const isNear = ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isNear))
    throw new TypeError(`${url.origin}: a key goes over https only, unless the model runs on this machine`);
  return url;
}

/** Contract: null for a target that could mean another path upstream than the one that was judged. */
function wayOf(target: string): { path: string; query: string } | null {
  const at = target.indexOf("?");
  const path = at === -1 ? target : target.slice(0, at);
  if (!path.startsWith("/") || !isPlainPath(path) || /[\\#\0]|%(?:2f|5c|2e|00)/i.test(path)) return null;
  const asked = new URLSearchParams(at === -1 ? "" : target.slice(at + 1));
  // A key in the address is the agent's own idea.
  asked.delete("key");
  return { path, query: asked.size === 0 ? "" : `?${asked.toString()}` };
}

function passedHeaders({ headers }: IncomingMessage): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && !NOT_PASSED_UP.has(name));
  // Compressed answers could be read neither for usage nor for secrets.
  return { ...(Object.fromEntries(kept) as Record<string, string | string[]>), "accept-encoding": "identity" };
}

function answeredHeaders({ headers }: IncomingMessage, secrets: readonly string[]): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && !NOT_PASSED_DOWN.has(name));
  const tells = (value: string) => secrets.some((secret) => secret.length >= 8 && value.includes(secret));
  return Object.fromEntries(kept.filter(([, value]) => ![value ?? ""].flat().some(tells))) as Record<string, string>;
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function refuse(asked: IncomingMessage, answer: ServerResponse, status: number, message: string): void {
  asked.resume();
  answer.writeHead(status, { "content-type": "application/json", connection: "close" });
  answer.end(JSON.stringify({ type: "error", error: { type: "coordinator_proxy", message } }));
}
