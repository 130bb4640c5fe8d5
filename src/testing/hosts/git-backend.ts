import { spawn } from "node:child_process";
import type { IncomingMessage } from "node:http";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** Fetch and push through the program that git itself brings for servers. */
export async function gitAnswer(
  request: IncomingMessage,
  url: URL,
  bytes: Buffer,
  folder: string,
  token: string,
): Promise<Answer> {
  const [, credentials = ""] = /^Basic (.*)$/.exec(request.headers.authorization ?? "") ?? [];
  const [user = "", password = ""] = Buffer.from(credentials, "base64").toString("utf8").split(":");
  if (password !== token)
    return { status: 401, headers: { "www-authenticate": 'Basic realm="git"' }, bytes: Buffer.alloc(0) };
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      CONTENT_LENGTH: String(bytes.length),
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      HTTP_GIT_PROTOCOL: (request.headers["git-protocol"] as string | undefined) ?? "",
      REMOTE_USER: user,
      REMOTE_ADDR: "127.0.0.1",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => undefined).end(bytes);
  const out: Buffer[] = [];
  for await (const chunk of child.stdout) out.push(chunk as Buffer);
  const whole = Buffer.concat(out);
  const end = whole.indexOf("\r\n\r\n");
  const headers = Object.fromEntries(
    whole
      .subarray(0, end)
      .toString("latin1")
      .split("\r\n")
      .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const { status = "200", ...rest } = headers;
  return { status: Number(status.slice(0, 3)), headers: rest, bytes: whole.subarray(end + 4) };
}
