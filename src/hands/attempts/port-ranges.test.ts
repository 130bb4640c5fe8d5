import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { portRanges } from "./port-ranges.js";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "coordinator-ports-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

const range = (first: number, last: number) => ({
  COORDINATOR_PORT: `${first}`,
  COORDINATOR_PORTS: `${first}-${last}`,
});

it("gives no range twice, also not to two that ask at the same time, or after a crash", async () => {
  const kept = folder();
  const settings = { first: 20_000, each: 10 };
  const [one, other] = [portRanges(settings, kept), portRanges(settings, kept)];
  const given = await Promise.all([one(), other()]);
  expect(given).toHaveLength(2);
  expect(given).toEqual(expect.arrayContaining([range(20_000, 20_009), range(20_010, 20_019)]));
  expect(await portRanges(settings, kept)()).toEqual(range(20_020, 20_029));
});

it("comes round at the last port, and says nothing where no ports are configured", async () => {
  const next = portRanges({ first: 65_500, each: 20 }, folder());
  expect([await next(), await next()]).toEqual([range(65_500, 65_519), range(65_500, 65_519)]);
  expect(await portRanges(undefined, folder())()).toEqual({});
});
