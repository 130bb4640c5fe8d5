/** How many tests have passed and failed so far, as far as the lines a runner prints say so. */
export interface TestCount {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Counts as lines come, for people who wait. The report decides in the end; it is read when the check is over.
 *
 * Contract: total; a runner that prints no line for each test is not counted.
 */
export class TestCounter {
  #rest = "";
  #count = { passed: 0, failed: 0 };
  #last = "";

  take(piece: string): void {
    const lines = `${this.#rest}${piece}`.split("\n");
    this.#rest = (lines.pop() ?? "").slice(-LONGEST);
    for (const line of lines) this.#line(line.slice(0, LONGEST));
  }

  get count(): TestCount {
    return this.#count;
  }

  /** The last line that says something. */
  get last(): string {
    return this.#last;
  }

  #line(text: string): void {
    // oxlint-disable-next-line no-control-regex -- colours are control characters
    const line = text.replaceAll(/\u001b\[[\d;]*m/g, "").trim();
    if (line === "") return;
    this.#last = line;
    const dots = DOTS.exec(line)?.[1];
    if (dots !== undefined) {
      this.#count.passed += dots.split(".").length - 1;
      this.#count.failed += dots.split(/[FE]/).length - 1;
    } else if (FAILED.test(line)) this.#count.failed++;
    else if (PASSED.test(line)) this.#count.passed++;
  }
}

const LONGEST = 4000;
/** pytest -q: `..F.s  [ 12%]`. */
const DOTS = /^(?:\S+\.py )?([.FEsxX]+)\s+\[ *\d+%\]$/;
/** TAP, Go, libtest, pytest -v, mocha, vitest, jest, Go's JSON. */
const FAILED =
  /^(?:not ok \d+|--- FAIL: |test \S+ \.\.\. FAILED$|\S+ FAILED(?:\s|$)|[✗✘×✕] |\{.*"Action":"fail".*"Test":)/;
const PASSED = /^(?:ok \d+|--- PASS: |test \S+ \.\.\. ok$|\S+ PASSED(?:\s|$)|[✓✔√] |\{.*"Action":"pass".*"Test":)/;
