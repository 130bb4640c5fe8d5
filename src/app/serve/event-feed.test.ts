import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../testing/postgres-server.js";
import { pauseEvent } from "../../testing/store-suite.js";
import { openRuns } from "../project/open-runs.js";
import { stateFolder } from "../project/state-folder.js";
import { writeStoreSetting } from "../store/store-setting.js";
import { createEventFeed } from "./event-feed.js";

const missing = whyNoPostgres();

describe.skipIf(missing !== null)(`following a team's store${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());

  it("shows every event once and in order, also after the server was killed", async () => {
    const root = mkdtempSync(join(tmpdir(), "coordinator-feed-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const at = stateFolder(root);
    writeStoreSetting(at, server.url("feed"));
    const store = await openRuns(at);
    onTestFinished(() => store.close());
    await store.append("run_a", 0, [pauseEvent("0")]);
    const feed = createEventFeed("project", at);
    onTestFinished(() => feed.close());
    const over = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      for await (const page of feed.followAll(0, over.signal)) for (const { id } of page) seen.push(id);
    })();
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(1);
    for (let n = 1; n < 10; n++) await store.append("run_a", n, [pauseEvent(`${n}`)]);
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(10);
    await server.kill();
    await server.start();
    await store.append("run_b", 0, [pauseEvent("after")]);
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(11);
    over.abort();
    await following;
    expect(seen).toEqual(Array.from({ length: 11 }, (_, i) => String(i + 1)));
  });
});
