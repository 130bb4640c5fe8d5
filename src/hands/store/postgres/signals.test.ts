import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../../testing/postgres-server.js";
import { sha256 } from "../../../testing/store-suite.js";
import type { StoredSignals } from "../event-store.js";
import { parseAddress } from "./address.js";
import { openPostgresStore } from "./open-postgres-store.js";

const missing = whyNoPostgres();
let server: PostgresServer;
let schemas = 0;

async function signalsOf(schema: string): Promise<StoredSignals> {
  const store = await openPostgresStore({ sha256, address: parseAddress(server.url(schema)), password: () => "" });
  onTestFinished(() => store.close());
  if (store.signals === undefined) throw new Error("this store keeps signals");
  return store.signals;
}

const signal = (signal_id: string, text = `{"of":"${signal_id}"}`) => ({ signal_id, run_id: "run_a", text });

describe.skipIf(missing !== null)(`signals in the store${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  beforeAll(async () => {
    server = await startPostgres();
  }, 90_000);
  afterAll(() => server?.remove());

  it("come in the order in which the store got them, each once, until they are judged", async () => {
    const schema = `signals${++schemas}`;
    const [mine, theirs] = [await signalsOf(schema), await signalsOf(schema)];
    // Their ids would say otherwise: they go by the clocks of those who sent them.
    for (const id of ["sig_b", "sig_c", "sig_a"]) await mine.leave(signal(id));
    await mine.leave(signal("sig_c", '{"of":"another"}'));
    expect(await theirs.left()).toEqual(
      ["sig_b", "sig_c", "sig_a"].map((id) => ({ signal_id: id, text: `{"of":"${id}"}` })),
    );
    expect([await theirs.isLeft("sig_c"), await theirs.verdict("sig_c")]).toEqual([true, null]);
    await theirs.forget("sig_c");
    await Promise.all([theirs.judge("sig_c", "first or second"), mine.judge("sig_c", "first or second")]);
    await mine.judge("sig_c", "too late");
    expect([await mine.isLeft("sig_c"), await mine.verdict("sig_c")]).toEqual([false, "first or second"]);
    expect((await mine.left()).map(({ signal_id }) => signal_id)).toEqual(["sig_b", "sig_a"]);
    await mine.forget("sig_c");
    expect(await theirs.verdict("sig_c")).toBeNull();
  });

  it("are swept a day after they were judged, and never before", async () => {
    const schema = `signals${++schemas}`;
    const signals = await signalsOf(schema);
    for (const id of ["sig_old", "sig_new", "sig_left"]) await signals.leave(signal(id));
    for (const id of ["sig_old", "sig_new"]) await signals.judge(id, "{}");
    server.sql(`UPDATE ${schema}.signals SET judged_at = judged_at - interval '25 h' WHERE signal_id = 'sig_old';
      UPDATE ${schema}.signals SET left_at = left_at - interval '9 days' WHERE signal_id = 'sig_left'`);
    await signals.sweep();
    expect(server.sql(`SELECT signal_id FROM ${schema}.signals ORDER BY 1`)).toBe("sig_left\nsig_new");
  });

  it("wake who follows, also after the server was killed and started again", async () => {
    const [mine, theirs] = [await signalsOf("woken"), await signalsOf("woken")];
    let woken = 0;
    const stop = await theirs.follow(() => void woken++);
    onTestFinished(stop);
    // Once for the connection itself, since some may have been left before it.
    await expect.poll(() => woken, { timeout: 15_000 }).toBe(1);
    await mine.leave(signal("sig_1"));
    await expect.poll(() => woken, { timeout: 15_000 }).toBe(2);
    await server.kill();
    await server.start();
    await expect.poll(() => woken, { timeout: 30_000 }).toBe(3);
    await mine.leave(signal("sig_2"));
    await expect.poll(() => woken, { timeout: 15_000 }).toBe(4);
  }, 90_000);
});
