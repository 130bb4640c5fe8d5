import { describe, expect, it } from "vitest";
import { dayOf, lastDays } from "./days.js";

describe("days", () => {
  it("end with today and are whole days of UTC", () => {
    expect(lastDays("2026-03-01T00:10:00Z", 3)).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
    expect(dayOf("2026-02-28T23:30:00-05:00")).toBe("2026-03-01");
    expect(lastDays("2026-02-28T23:30:00-05:00", 1)).toEqual(["2026-03-01"]);
  });
});
