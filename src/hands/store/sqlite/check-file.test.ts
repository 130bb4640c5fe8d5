import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { checkFile } from "./check-file.js";
import type { Database } from "./driver.js";

let path: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-check-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  path = join(folder, "runs.db");
  writeFileSync(path, "x".repeat(100));
});

/** How often all of the file is read when it is opened so. */
function reads(smallBytes: number, answer = "ok"): number {
  let asked = 0;
  const database = { prepare: () => ({ get: () => (asked++, { quick_check: answer }) }) } as unknown as Database;
  checkFile(database, path, smallBytes);
  return asked;
}

const change = (fields: object) =>
  writeFileSync(
    `${path}.checked`,
    JSON.stringify({ ...(JSON.parse(readFileSync(`${path}.checked`, "utf8")) as object), ...fields }),
  );

describe("the file of a store", () => {
  it("is read whole at every opening as long as it is small", () => {
    expect([reads(100), reads(100)]).toEqual([1, 1]);
  });

  it("is read whole once a day when it is large, also after it has grown", () => {
    expect([reads(99), reads(99)]).toEqual([1, 0]);
    writeFileSync(path, "more", { flag: "a" });
    expect(reads(99)).toBe(0);
    change({ at_ms: Date.now() - 25 * 60 * 60 * 1000 });
    expect([reads(99), reads(99)]).toEqual([1, 0]);
    change({ at_ms: Date.now() + 60_000 });
    expect(reads(99)).toBe(1);
  });

  it("is read again after the machine was started, when it is another file or smaller, and without its note", () => {
    reads(50);
    change({ boot_id: "before" });
    expect(reads(50)).toBe(1);
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    expect([reads(50), reads(50)]).toEqual([1, 0]);
    truncateSync(path, 60);
    expect(reads(50)).toBe(1);
    rmSync(`${path}.checked`);
    expect(reads(50)).toBe(1);
    writeFileSync(`${path}.checked`, "{");
    expect(reads(50)).toBe(1);
  });

  it("that is damaged is refused, and not noted as checked", () => {
    for (let time = 0; time < 2; time++)
      expect(() => reads(50, "row 1 missing")).toThrow(expect.objectContaining({ code: "STORE_CORRUPT" }));
  });
});
