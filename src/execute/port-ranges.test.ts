import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { portRanges } from "./port-ranges.js";
import { openRecords } from "./run-records.js";

function records() {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-ports-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return openRecords(folder);
}

const range = (first: number, last: number) => ({
  COORDINATOR_PORT: `${first}`,
  COORDINATOR_PORTS: `${first}-${last}`,
});

it("gives no range twice, whoever asks at the same time or after a crash", async () => {
  const kept = records();
  const settings = { first: 20_000, each: 10 };
  const next = portRanges(settings, kept);
  expect(await Promise.all([next(), next()])).toEqual([range(20_000, 20_009), range(20_010, 20_019)]);
  expect(await portRanges(settings, kept)()).toEqual(range(20_020, 20_029));
});

it("comes round at the last port, and says nothing where no ports are configured", async () => {
  const next = portRanges({ first: 65_500, each: 20 }, records());
  expect([await next(), await next()]).toEqual([range(65_500, 65_519), range(65_500, 65_519)]);
  expect(await portRanges(undefined, records())()).toEqual({});
});
