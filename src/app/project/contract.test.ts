import { describe, expect, it } from "vitest";
import { Contract } from "../../model/settings/contract.js";
import { concurrencyWithin } from "./contract.js";

describe("how many tasks a run works on at once", () => {
  const contract = Contract.parse({ name: "coordinator", version: "1.0", limits: { max_concurrent_tasks: 2 } });
  const own = { contract, file: "governance/contracts/coordinator.yaml", approved: false };

  it("is at most what the project's own contract says, whatever the settings say [S3-069]", () => {
    expect([concurrencyWithin(own, 8, undefined), concurrencyWithin(own, 1, undefined)]).toEqual([2, 1]);
    expect(concurrencyWithin(own, 8, 1)).toBe(1);
  });

  it("is refused when somebody asks for more [S3-069]", () => {
    expect(() => concurrencyWithin(own, 1, 3)).toThrow("limits.max_concurrent_tasks is 2, and 3 were asked for");
  });

  it("is not limited by the contract that is shipped", () => {
    const shipped = { ...own, file: null };
    expect([concurrencyWithin(shipped, 8, undefined), concurrencyWithin(shipped, 8, 9)]).toEqual([8, 9]);
  });
});
