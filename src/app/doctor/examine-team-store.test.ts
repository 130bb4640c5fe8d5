import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../testing/postgres-server.js";
import { examineTeamStore } from "./examine-team-store.js";

const missing = whyNoPostgres();

describe.skipIf(missing !== null)(
  `the store of a team, examined${missing === null ? "" : ` (skipped: ${missing})`}`,
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server?.remove());

    it("says version, clock and what is weak, and makes nothing", async () => {
      const found = await examineTeamStore(server.url("looked_at"), {});
      expect(found).toMatchObject({
        name: "store",
        status: "weak",
        detail: expect.stringMatching(
          /Postgres \d+.*answers in \d+ ms; clocks differ by \d+ ms; holds no store yet.*fsync = off/,
        ),
        fix: expect.stringContaining("fsync = on"),
      });
      expect(server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'looked_at'")).toBe("0");
    });

    it("says what a user may not do", async () => {
      server.sql("CREATE ROLE poor LOGIN; REVOKE CREATE ON DATABASE postgres FROM PUBLIC");
      expect(await examineTeamStore(server.url("looked_at", "poor"), {})).toMatchObject({
        status: "bad",
        detail: expect.stringContaining("may not write"),
        fix: expect.stringContaining("CREATE SCHEMA looked_at"),
      });
    });

    it("throws for a server that is not there", async () => {
      await expect(examineTeamStore("postgres://ada@127.0.0.1:9/t", {})).rejects.toMatchObject({
        code: "STORE_UNREACHABLE",
      });
    });
  },
);
