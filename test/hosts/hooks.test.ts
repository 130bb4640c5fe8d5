import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { connect } from "../mcp/clients.js";
import { send, serve, until } from "../server/served.js";
import { hosted, RUN } from "./hosted.js";

const SECRET = "a-secret-of-the-tests";
const BYTES = '{"action":"created"}';

const signature = (bytes: string) => `sha256=${createHmac("sha256", SECRET).update(bytes).digest("hex")}`;

describe("messages of a host to coordinator serve", () => {
  it("are hints to look: signed ones once, others never", async () => {
    const at = await hosted();
    at.settings({ webhook_secret_env: "HOOK_SECRET" });
    expect((await at.coordinator("publish", RUN)).code).toBe(0);
    const { PATH = "" } = process.env;
    const served = await serve({ cwd: at.cwd, env: { PATH, ...at.env, HOOK_SECRET: SECRET } });
    const { projects } = (await served.ask("/projects")).json as { projects: { id: string }[] };
    const hook = `${served.url}/hooks/${projects[0]?.id ?? ""}`;
    let looked = 0;
    const isLooked = new Promise<void>((resolve) => {
      at.host.watch = ({ path }, when) => {
        if (path === "/user" && when === "after" && ++looked === 1) resolve();
      };
    });
    const ask = (raw: string, headers: Record<string, string>, url = hook) =>
      send(url, { method: "POST", raw, headers: { "content-type": "application/json", ...headers } });
    const from = { "x-github-delivery": "d-1" };
    const wrong = await ask(BYTES, { ...from, "x-hub-signature-256": signature("another") });
    const none = await ask(BYTES, from);
    const unknown = await ask(
      BYTES,
      { ...from, "x-hub-signature-256": signature(BYTES) },
      `${served.url}/hooks/prj_none`,
    );
    const giant = await ask("x".repeat(2_000_000), { ...from, "x-hub-signature-256": "sha256=0" });
    expect([wrong.status, none.status, unknown.status, giant.status, looked]).toEqual([401, 401, 404, 413, 0]);
    const [pull] = [...at.host.pulls.values()];
    at.host.remark(pull?.number ?? 0, at.host.ada, "a.txt", 2, "Say three.");
    // What it says is not read: it need not even be JSON.
    const told = await ask("not JSON", { ...from, "x-hub-signature-256": signature("not JSON") });
    expect([told.status, told.json.status]).toEqual([202, "taken"]);
    await isLooked;
    const again = await ask("not JSON", { ...from, "x-hub-signature-256": signature("not JSON") });
    expect([again.status, again.json.status]).toEqual([202, "known"]);
    // People see it in the dashboard, and agents are told.
    const found = await until(async () => (await served.ask("/inbox")).json.on_host[0]);
    expect(found).toMatchObject({ run_id: RUN, pull: pull?.number, remarks: [{ by: "ada", text: "Say three." }] });
    const agent = await connect({ cwd: at.cwd, env: { PATH, ...at.env } }, "2026-07-28");
    expect((await agent.call("inbox")).value.pull_requests).toMatchObject([
      { run_id: RUN, remarks: ["ada at a.txt:2: Say three."] },
    ]);
  });

  it("are taken by no project that names no secret", async () => {
    const at = await hosted([]);
    const { PATH = "" } = process.env;
    const served = await serve({ cwd: at.cwd, env: { PATH, ...at.env } });
    const { projects } = (await served.ask("/projects")).json as { projects: { id: string }[] };
    const answer = await send(`${served.url}/hooks/${projects[0]?.id ?? ""}`, { method: "POST", raw: BYTES });
    expect(answer.status).toBe(404);
  });
});
