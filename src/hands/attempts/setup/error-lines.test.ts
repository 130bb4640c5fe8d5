import { describe, expect, it } from "vitest";
import { errorLines } from "./error-lines.js";

describe("the lines of a failed setup that are shown", () => {
  it("begin with the error, not with the chatter after it", () => {
    const pnpm = [
      "Lockfile is up to date, resolution step is skipped",
      "+++++++++++++",
      "Progress: resolved 255, reused 3, downloaded 0, added 0",
      "EROFS: read-only file system, symlink '/ws' -> '/home/agent/.local/share/pnpm/store/v10/projects/1'",
      "    at async Object.symlink (node:internal/fs/promises:1:1)",
      ...Array.from({ length: 30 }, (_, i) => `    at async frame${i} (/opt/pnpm.cjs:${i}:1)`),
    ].join("\n");
    const [first, gap] = errorLines(pnpm).split("\n");
    expect(first).toContain("EROFS: read-only file system");
    expect(gap).toBe("…");
    const npm = [
      'npm warn Unknown env config "some-setting". This will stop working.',
      "npm warn deprecated glob@7.2.3: Old versions of glob are not supported, and contain widely publicized errors",
      "npm error code ENOTCACHED",
      "npm error request to https://registry.example/a failed: cache mode is 'only-if-cached'",
      "npm warn deprecated a@1: Support for old versions may be purchased (at exorbitant rates)",
      "npm error A complete log of this run can be found in: /home/agent/.npm/_logs/2026-debug-0.log",
    ].join("\n");
    expect(errorLines(npm).split("\n")).toEqual([
      "npm error code ENOTCACHED",
      "npm error request to https://registry.example/a failed: cache mode is 'only-if-cached'",
    ]);
    expect(errorLines("npm warn deprecated a@1")).toBe("npm warn deprecated a@1");
  });

  it("are the end where no line names an error, and few and short always", () => {
    expect(errorLines("a\n\nb\nc\nd\ne\nf\n")).toBe("c\nd\ne\nf");
    expect(errorLines(" \n")).toBe("it printed nothing");
    const long = Array.from({ length: 500 }, (_, i) => `error ${i} ${"x".repeat(1000)}`).join("\n");
    expect(errorLines(long).length).toBeLessThan(4000);
  });

  it("are without the colours that a program prints although nobody asked for them", () => {
    expect(errorLines("[\u001B[1;31mERROR\u001B[m] Unresolveable build extension\n\u001B[0m\u001B[0m\n")).toBe(
      "[ERROR] Unresolveable build extension",
    );
  });
});
