import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { measure, type SizeLimit, type SizeReached, watchSize } from "./watch-size.js";

function folderWith(files: number): string {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-size-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (let i = 0; i < files; i++) writeFileSync(join(folder, `f${i}`), "x".repeat(5000));
  return folder;
}

const limit = (path: string, more: Partial<SizeLimit> = {}): SizeLimit => ({
  name: "the folder",
  path,
  bytes: Infinity,
  files: Infinity,
  added: false,
  ...more,
});

function reachedOf(limits: readonly SizeLimit[], act: () => void = () => undefined, free = 0): Promise<SizeReached> {
  return new Promise((resolve) => {
    const watch = watchSize(limits, free, resolve);
    onTestFinished(() => watch.stop());
    setTimeout(act, 50);
  });
}

describe("the size of a folder", () => {
  it("counts files, folders and links, names that are not text too, and follows no link", async () => {
    const folder = folderWith(3);
    mkdirSync(join(folder, "d"));
    symlinkSync("/usr", join(folder, "link"));
    mkdirSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]));
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe]), Buffer.from("/in")]), "x");
    const size = await measure(folder, { bytes: Infinity, files: Infinity });
    expect(size?.files).toBe(7);
    expect(size?.bytes).toBeGreaterThan(3 * 5000);
  });

  it("is told once when it is reached, by bytes or by files", async () => {
    const folder = folderWith(20);
    expect(await reachedOf([limit(folder, { files: 10 })])).toMatchObject({
      what: "size",
      message: "the folder holds more than 10 files, which is its limit",
    });
    expect(await reachedOf([limit(folder, { bytes: 50_000 })])).toMatchObject({ what: "size" });
  });

  it("counts from what was there where it is a limit on what is added", async () => {
    const folder = folderWith(20);
    const reached = await reachedOf([limit(folder, { files: 10, added: true })], () => {
      for (let i = 0; i < 11; i++) writeFileSync(join(folder, `new${i}`), "");
    });
    expect(reached.message).toBe("the folder holds more than 10 files more than it was given, which is its limit");
  });

  it("is reached too when the disk is nearly full, whoever filled it", async () => {
    expect(await reachedOf([limit(folderWith(1))], () => undefined, Number.MAX_SAFE_INTEGER)).toMatchObject({
      what: "disk",
    });
  });
});
