import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/* The page about the walk of a request, and the answers in AGENTS.md, name files and symbols that are there. */

const at = (path: string) => new URL(`../../${path}`, import.meta.url);
const walk = readFileSync(at("docs/architecture/walk.md"), "utf8");
const hops = [...walk.matchAll(/^(\d+)\. `(src\/[^`]+)` `([^`]+)`/gm)].map(
  ([, number = "", file = "", symbol = ""]) => [Number(number), file, symbol] as const,
);

describe("the walk of one request", () => {
  it("is numbered without a gap and has at most 25 hops", () => {
    expect(hops.map(([number]) => number)).toEqual(hops.map((_, i) => i + 1));
    expect(hops.length).toBeGreaterThan(20);
    expect(hops.length).toBeLessThanOrEqual(25);
  });

  it.each(hops)("hop %i is in %s: %s", (_, file, symbol) => {
    expect(readFileSync(at(file), "utf8")).toMatch(
      new RegExp(String.raw`^(?:export )?(?:async )?function ${symbol}\b`, "m"),
    );
  });

  it.each(hops.slice(1).map(([, , symbol], i) => [symbol, hops[i]] as const))(
    "%s is called on the way, and not only named here",
    (symbol) => {
      const files = new Set([...hops.map(([, file]) => file), "src/app/compose.ts"]);
      const calls = new RegExp(String.raw`(?<!function )\b${symbol}\(`);
      expect([...files].some((file) => calls.test(readFileSync(at(file), "utf8")))).toBe(true);
    },
  );

  it.each([
    "ARCHITECTURE.md",
    "AGENTS.md",
    "docs/architecture/planning.md",
    "docs/architecture/runs.md",
    "docs/architecture/files.md",
  ])("%s names no source file that is not there", (page) => {
    const named = [
      ...readFileSync(at(page), "utf8").matchAll(
        /`(?:src\/)?((?:app|cli|foundation|hands|mind|model)\/[\w./-]+\.ts)`/g,
      ),
    ];
    expect(named.length).toBeGreaterThan(3);
    expect(named.map(([, file = ""]) => file).filter((file) => !existsSync(at(`src/${file}`)))).toEqual([]);
  });
});
