import { describe, expect, it } from "vitest";
import { verifyChain } from "../../src/hands/store/chain/verify-chain.js";
import { sha256 } from "../../src/testing/store-suite.js";
import { simulateTeam } from "../../src/testing/simulation/two-drivers.js";

/* Two processes with the real engine, one log: COORDINATOR_TEAM_SEEDS=5000 npx vitest run test/sim/team.test.ts draws more. */

const SEEDS = Number(process.env["COORDINATOR_TEAM_SEEDS"] ?? 150);

describe("simulated runs that two processes want to carry out", () => {
  const results = Promise.all(Array.from({ length: SEEDS }, (_, i) => simulateTeam(i + 1)));

  it(`${SEEDS} of them break nothing, whatever is killed, stopped, late, doubled or lost`, async () => {
    const broken = (await results).filter(({ violations }) => violations.length > 0);
    expect(broken.slice(0, 3).map(({ seed, violations }) => ({ seed, violations }))).toEqual([]);
  });

  it("their logs are whole chains, and a seed replays to the byte", async () => {
    for (const { seed, events } of (await results).slice(0, 20)) {
      expect(verifyChain(events, { runId: "run_shared", sha256 }).findings, `seed ${seed}`).toEqual([]);
      const again = (await simulateTeam(seed)).events;
      expect(JSON.stringify(again), `seed ${seed}`).toBe(JSON.stringify(events));
    }
  });

  it("the faults are there: takeovers, refused appends, late results, kills and stops", async () => {
    const all = await results;
    const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + of(one), 0);
    expect(sum(({ takeovers }) => takeovers)).toBeGreaterThan(SEEDS);
    expect(sum(({ refused }) => refused)).toBeGreaterThan(SEEDS / 10);
    expect(sum(({ late }) => late)).toBeGreaterThan(SEEDS / 10);
    expect(sum(({ kills }) => kills)).toBeGreaterThan(SEEDS);
    expect(sum(({ stops }) => stops)).toBeGreaterThan(SEEDS);
    expect(all.some(({ status }) => status === "completed")).toBe(true);
  });

  it("a store that lets processes write that have lost the run is found out", async () => {
    const unfenced = await Promise.all(Array.from({ length: 30 }, (_, i) => simulateTeam(i + 1, { isFenced: false })));
    expect(unfenced.some(({ violations }) => violations.length > 0)).toBe(true);
  });
});
