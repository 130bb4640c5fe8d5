import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { request } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ensureBuilt } from "../build.js";
import { desk, projectOf } from "./desk.js";
import { send, serve } from "./served.js";

beforeAll(ensureBuilt);

const fails = (project: ReturnType<typeof desk>, ...args: string[]) => {
  const { code, stdout } = project.call("serve", "--port", "0", ...args, "--json");
  return { ...(JSON.parse(stdout) as { code: string; message: string; fix: string }), exit: code };
};

/** Connects and says nothing, not even what TLS begins with. Contract: resolves when the server has closed the connection. */
function closedUnsaid(port: number): Promise<void> {
  const socket = connect(port, "localhost");
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  return new Promise((resolve) => void socket.once("close", () => resolve()));
}

describe("where a server may listen", () => {
  it("refuses another address than loopback without TLS or a named proxy, and says why", () => {
    const project = desk();
    const plain = fails(project, "--host", "0.0.0.0");
    expect(plain).toMatchObject({ exit: 4, code: "ADDRESS_REFUSED", message: expect.stringContaining("without TLS") });
    expect(plain.fix).toContain("--cert");
    const http = ["--host", "0.0.0.0", "--trusted-proxy", "10.0.0.5", "--public-url", "http://coordinator.example"];
    expect(fails(project, ...http)).toMatchObject({ exit: 4, code: "ADDRESS_REFUSED" });
    expect(fails(project, "--trusted-proxy", "10.0.0.5")).toMatchObject({ exit: 2, code: "USAGE" });
    expect(fails(project, "--trusted-proxy", "proxy")).toMatchObject({ exit: 2, code: "USAGE" });
    expect(fails(project, "--public-url", "https://x/y")).toMatchObject({ exit: 2, code: "USAGE" });
    expect(fails(project, "--cert", "nowhere.pem")).toMatchObject({ exit: 2, code: "USAGE" });
    const missing = fails(project, "--cert", "nowhere.pem", "--key", "nowhere.key");
    expect(missing).toMatchObject({
      exit: 2,
      code: "CERTIFICATE_UNREADABLE",
      message: expect.stringContaining("nowhere.pem"),
    });
    writeFileSync(join(project.cwd, "bad.pem"), "no certificate");
    expect(fails(project, "--cert", "bad.pem", "--key", "bad.pem")).toMatchObject({ code: "CERTIFICATE_UNREADABLE" });
  }, 60_000);

  it("says when the port is taken, and serves a project that it cannot open with the reason", async () => {
    const project = desk();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", () => resolve()));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const taken = project.call("serve", "--port", String(port), "--json");
    expect([taken.code, JSON.parse(taken.stdout)]).toMatchObject([1, { code: "PORT_TAKEN" }]);

    const served = await serve(project, { more: ["--project", join(project.cwd, "nowhere")] });
    const { projects } = (await served.ask("/projects")).json as { projects: { id: string; problem: unknown }[] };
    expect(projects.map(({ problem }) => problem)).toMatchObject([null, { code: "FILE_NOT_FOUND" }]);
    expect((await served.ask(`/projects/${projects[1]?.id}/runs`)).status).toBe(503);
    expect((await served.ask(`/projects/${projects[0]?.id}/runs`)).status).toBe(200);
    const unknown = await served.ask("/projects/prj_000000000000/runs");
    expect([unknown.status, unknown.json.code]).toEqual([404, "PROJECT_UNKNOWN"]);
    expect((await served.ask("/ready")).status).toBe(503);
  }, 60_000);

  // Node.js makes no certificates.
  it.skipIf(spawnSync("openssl", ["version"]).status !== 0)(
    "speaks https with a certificate, with a cookie for https alone, and commands still reach it",
    async () => {
      const project = desk();
      const files = { cert: join(project.cwd, "..", "cert.pem"), key: join(project.cwd, "..", "key.pem") };
      execFileSync(
        "openssl",
        [
          "req",
          "-x509",
          "-newkey",
          "rsa:2048",
          "-nodes",
          "-days",
          "1",
          "-subj",
          "/CN=localhost",
          "-keyout",
          files.key,
          "-out",
          files.cert,
        ],
        { stdio: "ignore" },
      );
      const more = ["--cert", files.cert, "--key", files.key, "--host", "localhost"];
      const served = await serve(project, { more, cookie: "none" });
      expect(served.url).toMatch(/^https:\/\/localhost:\d+$/);
      const silent = closedUnsaid(Number(new URL(served.url).port));
      const { url } = project.json("token", "login") as { url: string };
      const answer = await new Promise<{ headers: Record<string, unknown>; status: number }>((resolve, reject) => {
        const body = JSON.stringify({ secret: url.split("#login=")[1] });
        const sent = request(
          `${served.api}/session`,
          { method: "POST", rejectUnauthorized: false, headers: { "content-type": "application/json" } },
          (response) => {
            void text(response).then(() => resolve({ headers: response.headers, status: response.statusCode ?? 0 }));
          },
        );
        sent.on("error", reject);
        sent.end(body);
      });
      expect(answer.status).toBe(200);
      expect(String(answer.headers["set-cookie"])).toMatch(/^__Host-coordinator_session=.*; Secure$/);
      expect(answer.headers["strict-transport-security"]).toBeDefined();
      await silent;
    },
    60_000,
  );

  it("takes requests from the trusted proxy only, under the name that browsers see", async () => {
    const project = desk();
    const more = ["--trusted-proxy", "127.0.0.1", "--public-url", "https://coordinator.example"];
    const served = await serve(project, { more, cookie: "none" });
    expect(served.url).toBe("https://coordinator.example");
    const port = /listening on [\w.]+:(\d+)/.exec(served.said())?.[1] ?? "";
    const at = `http://127.0.0.1:${port}/api/v1/health`;
    expect((await send(at, { headers: { host: "coordinator.example" } })).status).toBe(200);
    expect((await send(at, { headers: { host: "attacker.example" } })).status).toBe(421);
  }, 60_000);

  it("remembers projects, and serves them when none is named", async () => {
    const project = desk();
    expect(project.json("projects", "add", project.cwd)).toMatchObject({
      done: "added",
      projects: [{ root: project.cwd }],
    });
    expect(project.json("projects", "add", join(project.cwd, "src"))).toMatchObject({ done: "known" });
    const served = await serve(project);
    expect(await projectOf(served)).toBe((project.json("projects", "list")["projects"] as { id: string }[])[0]?.id);
    expect(project.json("projects", "remove", project.cwd)).toMatchObject({ done: "removed", projects: [] });
    expect(project.call("projects", "remove", project.cwd).code).toBe(2);
  }, 60_000);
});
