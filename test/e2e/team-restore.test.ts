import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRuns, readRuns } from "../../src/app/project/open-runs.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import { writeStoreSetting } from "../../src/app/store/store-setting.js";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../src/testing/postgres-server.js";
import { pauseEvent, readAll } from "../../src/testing/store-suite.js";
import { coordinator, coordinatorJson, workFolder } from "../cli/program.js";
import { inTheMiddle } from "../cli/run-logs.js";

/* The store of a team, brought back as docs/operations.md says: from a dump, and to a point in time. */

const RUN = "run_restored";
const missing = whyNoPostgres();

/** A clone whose runs are at `url`, with the run in the store. */
async function clone(url: string): Promise<string> {
  const cwd = workFolder();
  writeStoreSetting(stateFolder(cwd), url);
  const store = await openRuns(stateFolder(cwd));
  await inTheMiddle().writeTo(store, RUN);
  await store.records?.put(RUN, "note#1", Buffer.from('{"said":"ä"}\n'));
  await store.close();
  return cwd;
}

async function logOf(cwd: string) {
  const reader = await readRuns(stateFolder(cwd));
  if (reader === null) throw new Error("there must be a store");
  try {
    return await readAll(reader, RUN);
  } finally {
    await reader.close();
  }
}

const verify = (cwd: string) => coordinatorJson(["verify", RUN], { cwd });
const answer = (cwd: string) => coordinatorJson(["answer", "q_C", "a semicolon", "--by", "ada"], { cwd });

describe.skipIf(missing !== null)(`a backup of the store${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({
      settings: (folder) => [
        "archive_mode = on",
        `archive_command = 'cp %p ${folder}/archived-%f'`,
        "wal_level = replica",
      ],
    });
    await coordinator(["--version"]);
  }, 300_000);
  afterAll(() => server?.remove());

  it("by pg_dump, taken while a run is written, is whole; runs go on from it, and what it has not is missed", async () => {
    const cwd = await clone(server.url("dumped"));
    const store = await openRuns(stateFolder(cwd));
    const over = new AbortController();
    const writing = (async () => {
      for (let n = 0; !over.signal.aborted; n++) await store.append("run_beside", n, [pauseEvent(`n${n}`)]);
    })();
    const dump = server.run("pg_dump", ["--schema=dumped", "postgres"]);
    over.abort();
    await writing;
    const before = await logOf(cwd);
    expect((await answer(cwd)).code).toBe(0);
    expect((await verify(cwd)).json).toMatchObject({ passed: true });

    server.sql("DROP SCHEMA dumped CASCADE");
    server.run("psql", ["-q", "-v", "ON_ERROR_STOP=1", "-d", "postgres"], dump);
    expect(await logOf(cwd)).toEqual(before);
    // It knew a later end of the log than the backup has.
    const end = Number(
      server.sql(
        "SELECT coalesce(max(sequence), 0) FROM dumped.events e JOIN dumped.runs r ON r.number = e.run WHERE run_id = 'run_beside'",
      ),
    );
    expect(await store.append("run_beside", end + 1, [pauseEvent("as if nothing had happened")])).toMatchObject({
      status: "conflict",
    });
    await store.close();
    // The answer is in no backup: this machine remembers that there was more.
    const cut = await verify(cwd);
    expect(cut.code).toBe(5);
    expect(JSON.stringify(cut.json["findings"])).toContain("The log ends at event 8");
    expect(cut.json["checks"]).toContainEqual(expect.objectContaining({ name: "chain", passed: true }));
    expect((await answer(cwd)).json).toMatchObject({ status: "taken", sequence: 9 });
    expect(server.sql("SELECT content FROM dumped.records")).not.toBe("");
  }, 120_000);

  it("to a point in time has everything up to it and nothing behind it", async () => {
    const cwd = await clone(server.url("pitr"));
    server.run("pg_basebackup", ["-D", `${server.folder}/base`, "--checkpoint=fast", "--no-sync", "-X", "stream"]);
    expect((await answer(cwd)).code).toBe(0);
    const wanted = await logOf(cwd);
    server.sql("SELECT pg_create_restore_point('before_the_mistake')");
    server.sql("DELETE FROM pitr.events; DELETE FROM pitr.notes; SELECT pg_switch_wal()");
    expect((await verify(cwd)).code).not.toBe(0);
    // The segment with the mistake is archived once the server has been ended, as an operator does it first.
    await expect
      .poll(
        () => server.sql("SELECT last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) FROM pg_stat_archiver"),
        {
          timeout: 30_000,
        },
      )
      .toBe("t");
    const recovered = await startPostgres({
      recovers: `${server.folder}/base`,
      settings: () => [
        "archive_mode = off",
        `restore_command = 'cp ${server.folder}/archived-%f %p'`,
        "recovery_target_name = 'before_the_mistake'",
        "recovery_target_action = promote",
      ],
    });
    try {
      writeStoreSetting(stateFolder(cwd), recovered.url("pitr"));
      expect(await logOf(cwd)).toEqual(wanted);
      expect((await verify(cwd)).json).toMatchObject({ passed: true, events: wanted.length });
      const { code, json } = await coordinatorJson(["approve", "node_rev", "--by", "grace"], { cwd });
      expect([code, json["sequence"]]).toEqual([0, wanted.length + 1]);
    } finally {
      await recovered.remove();
    }
  }, 120_000);
});
