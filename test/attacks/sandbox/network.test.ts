import { createServer, type Server } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isInnerAddress } from "../../../src/hands/sandbox/network/addresses.js";
import type { NetworkOptions } from "../../../src/hands/sandbox/network/network.js";
import { readUsage } from "../../../src/hands/sandbox/network/traffic.js";
import { openSandbox } from "../../../src/hands/sandbox/open-sandbox.js";
import { ensureBuilt } from "../../build.js";
import { ownFolder, prepare, STRONG } from "./coordinators.js";

/* A real model server outside, a real program inside, and between them only what was listed. */

const KEY = "sk-canary-9d2e7710aa";
let place: Awaited<ReturnType<typeof prepare>>;
let model: Server;
let upstream: string;
const asked: { url: string; key: unknown; authorization: unknown }[] = [];
let echo: ReturnType<typeof createTcpServer>;
let echoPort: number;

beforeAll(async () => {
  ensureBuilt();
  place = await prepare();
  model = createServer((request, response) => {
    asked.push({
      url: request.url ?? "",
      key: request.headers["x-api-key"],
      authorization: request.headers.authorization,
    });
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream", "x-echo": String(request.headers["x-api-key"]) });
    response.write(
      `event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":1000,"output_tokens":1}}}\n\n`,
    );
    // The key, said back in two parts.
    response.write(`data: {"you":"${KEY.slice(0, 9)}`);
    setImmediate(() =>
      response.end(`${KEY.slice(9)}"}\n\ndata: {"type":"message_delta","usage":{"output_tokens":50}}\n\n`),
    );
  });
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  upstream = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  echo = createTcpServer((socket) => socket.pipe(socket).on("error", () => undefined));
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  echoPort = (echo.address() as AddressInfo).port;
});

afterAll(() => {
  model.close();
  echo.close();
  place.remove();
});

async function inSandbox(name: string, network: NetworkOptions, script: string) {
  const workspace = ownFolder(null, join(place.folder, name));
  const sandbox = await openSandbox({ workspace, writable: "whole", records: join(place.folder, "records"), network });
  const started = sandbox.spawn({ argv: ["node", "--input-type=module", "-e", script] });
  started.stdin.end();
  const [stdout, stderr, exit] = await Promise.all([text(started.stdout), text(started.stderr), started.exited]);
  const traffic = sandbox.traffic();
  await sandbox.close();
  return { stdout, stderr, exit, traffic };
}

describe.skipIf(!STRONG)("auth: proxy", () => {
  it("lets through what is listed, adds the key outside, and shows it nowhere inside", async () => {
    const script = `
      import { readdirSync, readFileSync } from "node:fs";
      import { request } from "node:http";
      const base = process.env.ANTHROPIC_BASE_URL;
      const ask = (path, method = "POST", headers = {}) => fetch(base + path, { method, headers, ...(method === "POST" ? { body: "{}" } : {}) });
      const answer = await ask("/v1/messages?beta=true&key=mine", "POST", { authorization: "Bearer mine", "x-api-key": "mine" });
      const others = await Promise.all([ask("/v1/files"), ask("/v1/messages", "DELETE"), ask("/v1/messages/..%2ffiles"), ask("/v1//messages")]);
      const way = new URL(base);
      const raw = (path) => new Promise((resolve) => request({ host: way.hostname, port: way.port, path, method: "GET" }, (got) => resolve(got.statusCode)).end());
      others.push(...(await Promise.all(["/v1/models/..", "/v1/models/.", "http://elsewhere.example/v1/models/a", "/v1/models/%2e%2e"].map(raw))).map((status) => ({ status })));
      const around = readdirSync("/proc").filter((n) => /^\\d+$/.test(n)).map((pid) => {
        try { return readFileSync("/proc/" + pid + "/environ", "latin1") + readFileSync("/proc/" + pid + "/cmdline", "latin1"); } catch { return ""; }
      }).join("");
      console.log(JSON.stringify({ status: answer.status, headers: [...answer.headers], body: await answer.text(), others: others.map((o) => o.status), around }));
      process.exitCode = 7;`;
    const { stdout, exit, traffic } = await inSandbox(
      "proxy",
      {
        keyProxies: {
          anthropic: {
            upstream,
            allow: [
              { method: "POST", path: "/v1/messages" },
              { method: "GET", path: "/v1/models/*" },
            ],
            headers: { "x-api-key": KEY },
            baseUrlVariable: "ANTHROPIC_BASE_URL",
          },
        },
      },
      script,
    );
    const told = JSON.parse(stdout) as { status: number; body: string; others: number[] };
    expect(exit).toEqual({ code: 7, signal: null });
    expect(told.status).toBe(200);
    expect(told.others).toEqual(Array(8).fill(403));
    expect(told.body).toContain("message_delta");
    expect(stdout).not.toContain(KEY);
    expect(asked).toEqual([{ url: "/v1/messages?beta=true", key: KEY, authorization: undefined }]);
    expect(traffic.models["anthropic"]).toMatchObject({
      requests: 1,
      refused: 8,
      input_tokens: 1000,
      output_tokens: 50,
      unmetered: 0,
    });
  });

  it("goes over https unless the model runs on this machine", async () => {
    const open = inSandbox(
      "plain",
      { keyProxies: { x: { upstream: "http://models.example", allow: [], headers: {} } } },
      "0",
    );
    await expect(open).rejects.toThrow(/https/);
  });
});

describe.skipIf(!STRONG)("auth: own", () => {
  const dial = `
    import { connect } from "node:net";
    const ask = (target) => new Promise((resolve) => {
      const socket = connect(3128, "127.0.0.1", () => socket.write("CONNECT " + target + " HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"));
      let said = "";
      socket.on("data", (chunk) => { said += chunk; if (said.endsWith("\\r\\n\\r\\n") && said.includes(" 200 ")) socket.write("hello"); if (said.endsWith("hello")) socket.end(); });
      socket.on("close", () => resolve(said.split(" ")[1] + (said.endsWith("hello") ? " hello" : "")));
      socket.on("error", () => undefined);
    });
    console.log(JSON.stringify([process.env.HTTPS_PROXY, await Promise.all(JSON.parse(process.argv[1] ?? "[]").map(ask))]));`;

  it("reaches listed hosts and no other, by no other spelling, and no neighbour behind a listed name", async () => {
    const targets = [
      `127.0.0.1:${echoPort}`,
      `localhost:${echoPort}`,
      `127.1:${echoPort}`,
      `2130706433:${echoPort}`,
      `[::ffff:127.0.0.1]:${echoPort}`,
      "example.com:443",
      "169.254.169.254:80",
      "sub.localhost:443",
      "nonsense",
    ];
    // localhost is listed on another port only by name, so that its address is that of a neighbour.
    const hosts = [`127.0.0.1:${echoPort}`, "localhost:81", "*.localhost"];
    const inner = [`127.0.0.1:${echoPort}`];
    const { stdout, traffic } = await inSandbox(
      "own",
      { hosts, inner },
      dial.replace('process.argv[1] ?? "[]"', `'${JSON.stringify([...targets, "localhost:81"])}'`),
    );
    const [proxy, answers] = JSON.parse(stdout) as [string, string[]];
    expect(proxy).toBe("http://127.0.0.1:3128");
    expect(answers).toEqual(["200 hello", ...Array<string>(9).fill("403")]);
    expect(traffic.hosts).toMatchObject({ connections: 1, bytes_up: 5, bytes_down: 5 });
    expect(traffic.hosts?.refused.length).toBe(9);
  });
});

describe("addresses", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "::1",
    "::",
    "fe80::1%eth0",
    "fd00::1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "no address",
  ])("%s leads to this machine or its neighbours", (address) => expect(isInnerAddress(address)).toBe(true));
  it.each(["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "172.32.0.1"])("%s leads out", (address) =>
    expect(isInnerAddress(address)).toBe(false),
  );
});

describe("tokens in the answers of models", () => {
  const cases: readonly [string, string, string, { input: number; output: number } | null][] = [
    [
      "Anthropic",
      "application/json",
      '{"usage":{"input_tokens":5,"cache_read_input_tokens":2,"output_tokens":3}}',
      { input: 7, output: 3 },
    ],
    [
      "OpenAI chat",
      "text/event-stream",
      'data: {"choices":[],"usage":null}\n\ndata: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3}}\n\ndata: [DONE]\n',
      { input: 5, output: 3 },
    ],
    [
      "OpenAI responses",
      "text/event-stream; charset=utf-8",
      'data: {"type":"response.completed","response":{"usage":{"input_tokens":5,"output_tokens":3}}}',
      { input: 5, output: 3 },
    ],
    [
      "Gemini",
      "text/event-stream",
      'data: {"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":1}}\r\n\r\ndata: {"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":3,"thoughtsTokenCount":4}}\r\n',
      { input: 5, output: 7 },
    ],
    ["nothing said", "application/json", '{"ok":true}', null],
    ["no document", "application/json", "<html>", null],
    [
      "a list",
      "application/json",
      '[{"usageMetadata":{"promptTokenCount":5}},{"usageMetadata":{"candidatesTokenCount":3}}]',
      { input: 5, output: 3 },
    ],
  ];
  it.each(cases)("%s", (_, type, body, tokens) => {
    for (const size of [1, 7, 10_000]) {
      const reader = readUsage(type);
      for (let at = 0; at < body.length; at += size) reader.push(Buffer.from(body.slice(at, at + size)));
      expect(reader.end()).toEqual(tokens);
    }
  });
});
