import { spawn } from "node:child_process";
import { request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Asked } from "../e2e/asked.js";
import { ENDPOINTS } from "../../src/server/routes/all.js";
import { PROGRAM } from "../e2e/project.js";

/* A server as a person starts it: the program in a process of its own, and what a browser and a program say to it. */

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; null for what is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- read by tests, which say what they expect
  readonly json: any;
}

export interface AskOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, whatever it is. */
  readonly raw?: string | Buffer;
}

/** One request, with exactly these headers. */
export function send(url: string, { method, body, headers = {}, raw }: AskOptions = {}): Promise<Answer> {
  const bytes = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      url,
      {
        method: method ?? (bytes === undefined ? "GET" : "POST"),
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(bytes === undefined ? {} : { "content-length": String(Buffer.byteLength(bytes)) }),
          ...headers,
        },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: jsonOf(text) });
        });
      },
    );
    sent.on("error", reject);
    sent.end(bytes);
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

export interface Served {
  readonly url: string;
  readonly api: string;
  readonly pid: number;
  /** The code of the one-time link. */
  readonly code: string;
  readonly said: () => string;
  /** As the person who started it, in a browser that was logged in. */
  readonly ask: (path: string, options?: AskOptions) => Promise<Answer>;
  readonly cookie: string;
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
}

/** Start `coordinator serve` for the project of a desk. */
export async function serve(
  desk: Pick<Asked, "cwd" | "env">,
  { port = 0, more = [], cookie: known, atEnd = onTestFinished }: ServeOptions = {},
): Promise<Served> {
  const args = [PROGRAM, "serve", "--project", desk.cwd, "--port", String(port), ...more];
  const child = spawn(process.execPath, args, { cwd: desk.cwd, env: desk.env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  atEnd(() => kill("SIGKILL"));
  const line = await until(
    () => /^Open once to log in: (\S+)#login=(\S+)$/m.exec(said),
    () => said,
  );
  const [, page = "", code = ""] = line;
  const url = page.replace(/\/$/, "");
  const api = `${url}/api/v1`;
  const cookie = known ?? (await logIn(api, code));
  const ask = async (path: string, options: AskOptions = {}) => {
    const answer = await send(`${api}${path}`, { ...options, headers: { cookie, ...options.headers } });
    requireDeclared(options.method ?? (options.body === undefined ? "GET" : "POST"), path, answer);
    return answer;
  };
  return { url, api, pid: child.pid ?? 0, code, said: () => said, ask, cookie, kill };
}

/** Every answer is what its operation declares, which is what the OpenAPI document says. */
function requireDeclared(method: string, path: string, { status, json, text }: Answer): void {
  if (status < 200 || status >= 300 || json === null) return;
  const [asked = ""] = path.split("?");
  const found = ENDPOINTS.find(
    (one) =>
      one.method === method.toLowerCase() && new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(asked),
  );
  if (found === undefined || "stream" in found.answer || "bytes" in found.answer) return;
  const read = found.answer.safeParse(json);
  if (!read.success) throw new Error(`${method} ${path}: ${read.error.message}\n${text.slice(0, 2000)}`);
}

interface ServeOptions {
  readonly port?: number;
  readonly more?: readonly string[];
  /** A browser that was logged in before. */
  readonly cookie?: string;
  /** Says when it is killed; at the end of the test when absent. */
  readonly atEnd?: (act: () => Promise<void>) => void;
}

/** The cookie of a browser that was logged in with a code or a token. */
export async function logIn(api: string, secret: string): Promise<string> {
  const { status, headers, text } = await send(`${api}/session`, { body: { secret } });
  if (status !== 200) throw new Error(`${status} ${text}`);
  return (headers["set-cookie"]?.[0] ?? "").split(";")[0] ?? "";
}

/** Look until it is there. */
export async function until<T>(
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  tell: () => unknown = () => "",
  waitMs = 60_000,
): Promise<T> {
  for (const end = performance.now() + waitMs; ;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`It did not come: ${JSON.stringify(tell())}`);
    await sleep(50);
  }
}

export interface Viewer {
  readonly ids: string[];
  readonly types: string[];
  // oxlint-disable-next-line typescript/no-explicit-any -- read by tests, which say what they expect
  readonly events: any[];
  readonly status: () => number | null;
  readonly ended: () => boolean;
  readonly close: () => void;
}

/** Follow a stream of events as a browser does. */
export function view(url: string, headers: Readonly<Record<string, string>>): Viewer {
  const viewer = { ids: [] as string[], types: [] as string[], events: [] as unknown[] };
  let status: number | null = null;
  let ended = false;
  let rest = "";
  const sent = httpRequest(url, { headers: { accept: "text/event-stream", ...headers }, agent: false }, (response) => {
    status = response.statusCode ?? 0;
    response.on("data", (chunk: Buffer) => {
      rest += chunk.toString("utf8");
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const block = rest.slice(0, end);
        rest = rest.slice(end + 2);
        const [, id] = /^id: (.*)$/m.exec(block) ?? [];
        const [, data] = /^data: (.*)$/m.exec(block) ?? [];
        if (id === undefined || data === undefined) continue;
        const event = JSON.parse(data) as { event?: { type?: string } };
        viewer.ids.push(id);
        viewer.events.push(event);
        viewer.types.push(event.event?.type ?? "");
      }
    });
    response.on("error", () => (ended = true));
    response.on("close", () => (ended = true));
  });
  sent.on("error", () => (ended = true));
  sent.end();
  onTestFinished(() => void sent.destroy());
  return { ...viewer, status: () => status, ended: () => ended, close: () => sent.destroy() };
}
