import type { CheckResult } from "../../../model/settings/check.js";
import { relative } from "../reports/report.js";

/* Which files a check ran through, from the report of coverage that it wrote. */

/** Where runners write them by themselves. */
export const COVERAGE_FILES = [
  "coverage/lcov.info",
  "lcov.info",
  "coverage.xml",
  "coverage/cobertura-coverage.xml",
  "cover.out",
  "coverage.out",
] as const;

type Coverage = NonNullable<CheckResult["coverage"]>;

const MOST_FILES = 5_000;

/** Contract: pure; null for a text that is not a report of coverage. */
export function readCoverage(text: string): Coverage | null {
  const hits = new Map<string, boolean>();
  const add = (file: string, hit: boolean) => {
    const path = relative(file);
    if (hits.size < MOST_FILES || hits.has(path)) hits.set(path, hit || hits.get(path) === true);
  };
  if (/^SF:/m.test(text)) readLcov(text, add);
  else if (/<coverage[\s>]/.test(text)) readCobertura(text, add);
  else if (/^mode: (?:set|count|atomic)$/m.test(text)) readGoCover(text, add);
  else return null;
  return [...hits].map(([file, hit]) => ({ file, hit }));
}

type Add = (file: string, hit: boolean) => void;

function readLcov(text: string, add: Add): void {
  let file = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("SF:")) file = line.slice(3).trim();
    else if (line.startsWith("DA:")) add(file, Number(line.split(",")[1]) > 0);
  }
}

function readCobertura(text: string, add: Add): void {
  for (const [, attributes = "", inside = ""] of text.matchAll(/<class\s([^>]*)>([^]*?)<\/class>/g)) {
    const [, file] = /filename="([^"]+)"/.exec(attributes) ?? [];
    if (file !== undefined) add(file, /<line\s[^>]*hits="[1-9]/.test(inside));
  }
}

/** Files are named by their package: the module's name comes before what is in the repository. */
function readGoCover(text: string, add: Add): void {
  for (const [, file = "", count] of text.matchAll(/^(\S+\.go):[\d.]+,[\d.]+ \d+ (\d+)$/gm)) {
    const parts = file.split("/");
    // Every way to cut the module's name off; paths that do not exist are asked for by nobody.
    for (let i = 0; i < Math.min(parts.length, 5); i++) add(parts.slice(i).join("/"), Number(count) > 0);
  }
}
