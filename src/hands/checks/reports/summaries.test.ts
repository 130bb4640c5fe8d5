import { describe, expect, it } from "vitest";
import { readReport } from "./read-report.js";

/* Output of the programs themselves: uvu 0.5.6, Minitest 5.15, PHPUnit 9.6. */

const UVU = `a.js
• ✘   (1 / 2)

   FAIL  "takes"
    Expected values to be strictly equal:  (is)

        ++2    (Expected)
        --1    (Actual)


 text  • ✘   (1 / 2)

   FAIL  text  "whispers"
    Expected values to be strictly equal:  (is)


b.js
•   (1 / 1)

  Total:     5
  Passed:    3
  Skipped:   1
  Duration:  1.49ms

`;

const MINITEST = `Run options: --seed 41301

# Running:

FS

Finished in 0.000395s, 5067.5504 runs/s, 2533.7752 assertions/s.

  1) Failure:
TestCalc#test_add [/ws/test/test_calc.rb:5]:
Expected: 4
  Actual: 3

3 runs, 1 assertions, 1 failures, 0 errors, 1 skips

You have skipped tests. Run with --verbose for details.
rake aborted!
`;

const PHPUNIT = `> phpunit
PHPUnit 9.6.7 by Sebastian Bergmann and contributors.

F..S                                                                4 / 4 (100%)

Time: 00:00.019, Memory: 6.00 MB

There was 1 failure:

1) CalcTest::testAdd
Failed asserting that 3 is identical to 4.

/ws/tests/CalcTest.php:3

--

There was 1 skipped test:

1) CalcTest::testLater
later

FAILURES!
Tests: 4, Assertions: 3, Failures: 1, Skipped: 1.
Script phpunit handling the test event returned with error code 1
`;
const PHPUNIT_OK = `PHPUnit 9.6.7 by Sebastian Bergmann and contributors.

.                                                                   1 / 1 (100%)

OK (1 test, 1 assertion)
`;

const told = (text: string) => {
  const { format, findings } = readReport(text, "auto");
  return [format, ...findings.map(({ status, name }) => `${status} ${name}`)];
};
const passed = (count: number) => Array.from({ length: count }, () => "passed a test without a name");

describe("runners that name what fails and count the rest", () => {
  it("are read with the names of what failed and the number that passed", () => {
    expect(told(UVU)).toEqual(["spec", "failed takes", "failed text > whispers", ...passed(3)]);
    expect(readReport(UVU, "auto").findings[0]?.message).toContain("++2    (Expected)");
    expect(told(MINITEST)).toEqual(["spec", "failed TestCalc#test_add", ...passed(1)]);
    expect(told(PHPUNIT)).toEqual(["spec", "failed CalcTest::testAdd", ...passed(2)]);
    expect(told(PHPUNIT_OK)).toEqual(["spec", ...passed(1)]);
  });

  it("may be several in one report, and one of them may have no end", () => {
    expect(told(`${MINITEST}${MINITEST}`)).toHaveLength(1 + 2 * 2);
    expect(told(`${PHPUNIT_OK}${PHPUNIT_OK}`)).toEqual(["spec", ...passed(2)]);
    expect(told(`${MINITEST}# Running:\n\n..`)).toContain("failed minitest to its end");
    expect(told(PHPUNIT_OK.split("OK (")[0] as string)).toContain("failed phpunit to its end");
    expect(told("PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\nNo tests executed!\n")).toEqual(["spec"]);
  });

  it("are read in time that grows with the text, whatever part of it there is", () => {
    for (const text of [UVU, MINITEST, PHPUNIT])
      for (let end = 0; end < text.length; end += 7) told(text.slice(0, end));
    expect(told(`${'   FAIL  "a"\n'.repeat(20_000)}${UVU}`).length).toBeGreaterThan(20_000);
    told(`PHPUnit 9.6 by Sebastian Bergmann\nTests: 1, Assertions: 1${", Aa".repeat(20_000)}`);
    told(`   FAIL  ${"a  ".repeat(20_000)}\n${UVU}`);
  });
});
