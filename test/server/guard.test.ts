import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { desk, projectOf } from "./desk.js";
import { type AskOptions, logIn, send, serve, type Served, until } from "./served.js";

beforeAll(ensureBuilt);

/** A token for a program or a person, made as its owner makes it. */
function token(project: ReturnType<typeof desk>, name: string, ...more: string[]): string {
  const made = project.json("token", "add", name, ...more);
  return made["secret"] as string;
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

describe("the guard", () => {
  it("answers as the security guide demands, in its order", async () => {
    const project = desk();
    const served = await serve(project);
    const { api, url } = served;
    const host = new URL(url).host;
    const secret = token(project, "program", "--role", "admin");
    const id = await projectOf(served);
    const at = `${api}/projects`;
    const post = `${api}/projects/${id}/preview`;
    const body = { text: "Add a page" };
    const cases: readonly (readonly [string, string, AskOptions, number, string | null])[] = [
      ["rebinding", at, { headers: { host: "attacker.example", ...bearer(secret) } }, 421, "HOST_REFUSED"],
      ["the right name with another port", at, { headers: { host: "127.0.0.1:1" } }, 421, "HOST_REFUSED"],
      ["0.0.0.0", at, { headers: { host: `0.0.0.0:${new URL(url).port}` } }, 421, "HOST_REFUSED"],
      [
        "a page of another origin",
        post,
        { body, headers: { origin: "https://attacker.example" } },
        403,
        "ORIGIN_REFUSED",
      ],
      ["an origin of null", post, { body, headers: { origin: "null", ...bearer(secret) } }, 403, "ORIGIN_REFUSED"],
      [
        "a token and a foreign origin",
        at,
        { headers: { origin: "http://localhost:1", ...bearer(secret) } },
        403,
        "ORIGIN_REFUSED",
      ],
      [
        "a page of another site",
        at,
        { headers: { "sec-fetch-site": "cross-site", ...bearer(secret) } },
        403,
        "ORIGIN_REFUSED",
      ],
      [
        "a page of the same site",
        at,
        { headers: { "sec-fetch-site": "same-site", ...bearer(secret) } },
        403,
        "ORIGIN_REFUSED",
      ],
      [
        "a page of the files from another site",
        url,
        { headers: { "sec-fetch-site": "cross-site" } },
        403,
        "ORIGIN_REFUSED",
      ],
      ["no token", at, {}, 401, "NOT_LOGGED_IN"],
      ["a wrong token", at, { headers: bearer("cot_wrong") }, 401, "NOT_LOGGED_IN"],
      [
        "a form",
        post,
        { raw: "text=x", headers: { "content-type": "application/x-www-form-urlencoded", ...bearer(secret) } },
        415,
        "MEDIA_TYPE_REFUSED",
      ],
      [
        "plain text that is JSON",
        post,
        { raw: JSON.stringify(body), headers: { "content-type": "text/plain", ...bearer(secret) } },
        415,
        "MEDIA_TYPE_REFUSED",
      ],
      ["no body", post, { method: "POST", headers: bearer(secret) }, 415, "MEDIA_TYPE_REFUSED"],
      ["a right one", at, { headers: bearer(secret) }, 200, null],
      [
        "a right one by another name",
        at,
        { headers: { host: host.replace("127.0.0.1", "localhost"), ...bearer(secret) } },
        200,
        null,
      ],
      [
        "the dashboard itself",
        at,
        { headers: { origin: url, "sec-fetch-site": "same-origin", cookie: served.cookie } },
        200,
        null,
      ],
      ["a right order", post, { body, headers: { origin: url, cookie: served.cookie } }, 200, null],
    ];
    for (const [name, to, options, status, code] of cases) {
      const answer = await send(to, options);
      expect([name, answer.status, answer.json?.code ?? null]).toEqual([name, status, code]);
      expect(answer.headers["access-control-allow-origin"], name).toBeUndefined();
      expect(answer.headers["content-security-policy"], name).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      if (status >= 400) expect(answer.headers["content-type"], name).toContain("application/problem+json");
    }
    // It listens on this machine only.
    expect(served.said()).toContain("http://127.0.0.1:");
  }, 60_000);

  it("logs a browser in once by a link, with a cookie that no script reads and no other site sends", async () => {
    const project = desk();
    const served = await serve(project);
    const again = await send(`${served.api}/session`, { body: { secret: served.code } });
    expect([again.status, again.json.code]).toEqual([401, "NOT_LOGGED_IN"]);
    const { url } = project.json("token", "login") as { url: string };
    const code = url.split("#login=")[1] ?? "";
    const first = await send(`${served.api}/session`, { body: { secret: code } });
    expect(first.headers["set-cookie"]?.[0]).toMatch(
      /^coordinator_session_\d+=cos_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
    expect((await served.ask("/session")).json).toMatchObject({ role: "admin", name: null, via: "dashboard" });
    const out = await served.ask("/session", { method: "DELETE" });
    expect(out.status).toBe(200);
    expect((await served.ask("/session")).status).toBe(401);
  }, 60_000);

  it("lets a reader look, an approver decide and an admin do everything; ends a token that is revoked or has expired", async () => {
    const project = desk();
    const served = await serve(project);
    const id = await projectOf(served);
    const [reader, approver] = [token(project, "rita"), token(project, "grace", "--role", "approver", "--days", "1")];
    const as = (secret: string, path: string, body?: unknown) =>
      send(`${served.api}${path}`, { headers: bearer(secret), ...(body === undefined ? {} : { body }) });
    expect((await as(reader, "/session")).json).toMatchObject({ role: "reader", name: "rita", via: "api" });
    expect((await as(reader, "/inbox")).status).toBe(200);
    const refused = await as(reader, `/projects/${id}/requests`, { text: "Add a page" });
    expect([refused.status, refused.json.code]).toEqual([403, "ROLE_REFUSED"]);
    expect((await as(reader, `/projects/${id}/runs/last/decisions`, {})).status).toBe(403);
    expect((await as(approver, "/login-links", {})).status).toBe(403);
    expect((await as(approver, `/projects/${id}/runs/run_none/resume`, { unsafe_no_sandbox: true })).status).toBe(403);
    expect((await as(approver, `/projects/${id}/runs/run_none/resume`, {})).status).toBe(404);

    const cookie = await logIn(served.api, reader);
    expect((await send(`${served.api}/session`, { headers: { cookie } })).status).toBe(200);
    expect(project.call("token", "revoke", "rita").code).toBe(0);
    expect((await as(reader, "/session")).status).toBe(401);
    expect((await send(`${served.api}/session`, { headers: { cookie } })).status).toBe(401);
    // Only hashes are kept, and nobody else may read them.
    const listed = project.json("token", "list") as { tokens: object[] };
    expect(JSON.stringify(listed)).not.toMatch(/cot_|[0-9a-f]{64}/);
    const long = project.call("token", "list").stdout;
    expect(long).toMatch(/approver +grace .*until \d{4}-/);
  }, 60_000);

  it("slows guessing, and not whoever is logged in", async () => {
    const project = desk();
    const served = await serve(project);
    const codes = [];
    for (let i = 0; i < 9; i++) {
      const answer = await send(`${served.api}/projects`, { headers: bearer(`cot_guess_${i}`) });
      codes.push(answer.status);
      if (answer.status === 429) expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    }
    expect(codes.slice(0, 6)).toEqual([401, 401, 401, 401, 401, 401]);
    expect(codes.slice(6)).toContain(429);
    const guessed = await send(`${served.api}/session`, { body: { secret: "col_guess_at_a_link" } });
    expect(guessed.status).toBe(429);
    expect((await served.ask("/projects")).status).toBe(200);
  }, 60_000);

  it("takes no body over 1 MB, no long headers, and waits for nobody who sends slowly", async () => {
    const project = desk();
    const served = await serve(project);
    const id = await projectOf(served);
    const big = JSON.stringify({ text: "x".repeat(10 * 1024 * 1024) });
    const headers = { cookie: served.cookie, "content-type": "application/json" };
    for (const path of [`/projects/${id}/preview`, `/projects/${id}/requests`, "/session"]) {
      const { status, json, headers: got } = await send(`${served.api}${path}`, { raw: big, headers });
      expect([path, status, json.code]).toEqual([path, 413, "BODY_TOO_LARGE"]);
      expect(got["content-type"]).toContain("application/problem+json");
    }
    const begun = await send(`${served.api}/projects/${id}/preview`, {
      raw: "x",
      headers: { ...headers, "content-length": String(10 * 1024 * 1024) },
    });
    expect([begun.status, begun.json.code]).toEqual([413, "BODY_TOO_LARGE"]);
    expect(await project.runs()).toEqual([]);
    const wide = await send(`${served.api}/health`, { headers: { "x-long": "x".repeat(20_000) } });
    expect(wide.status).toBe(431);
    expect((await served.ask("/health")).status).toBe(200);

    await Promise.all([closedSlowly(served, "GET / HTTP/1.1\r\nHost: x\r\n"), closedSlowly(served, "")]);
    expect((await served.ask("/health")).status).toBe(200);
  }, 60_000);
});

/** One letter a second, until the server closes the connection. Contract: rejects when it does not. */
async function closedSlowly({ url }: Served, first: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let closed = false;
  socket.on("close", () => (closed = true));
  socket.on("error", () => (closed = true));
  socket.write(first === "" ? "G" : first);
  const timer = setInterval(() => socket.write("x"), 1000);
  try {
    await until(
      () => closed,
      () => "closed",
      30_000,
    );
  } finally {
    clearInterval(timer);
    socket.destroy();
  }
}
