import { describe, expect, it } from "vitest";
import { RoutingPolicy } from "../../model/routing.js";
import { boundsOf } from "../route/child-scope.js";
import { narrowBounds } from "./narrow-bounds.js";

describe("the bounds of a plan that is carried out under another policy", () => {
  const bounds = (policy_id: string, dev: object, failure: object = {}) =>
    boundsOf(
      RoutingPolicy.parse({ schema_version: "1.0.0", policy_id, rules: [], child_scopes: { dev }, failure }),
      "dev",
    );
  const wide = bounds("policy_wide", { tools: ["read", "edit", "run"], write: ["src/**", "docs/**"] });
  const tight = bounds(
    "policy_tight",
    { tools: ["read", "execute"], write: ["src/api/**"], network: ["a.org"], time_limit_ms: 1000, max_output_bytes: 5 },
    { max_retries: 0 },
  );
  const both = {
    tools: ["read", "run"],
    write: ["src/api/**"],
    network: ["a.org"],
    time_limit_ms: 1000,
    max_output_bytes: 5,
  };

  it("are what both permit, under the policy that is in force [S0-001, S0-018]", () => {
    const narrowed = narrowBounds(wide, tight);
    expect(narrowed).toMatchObject({ policy_id: "policy_tight", child_scope: both, failure: { max_retries: 0 } });
  });

  it("are not widened by a policy that was loosened since [S0-018]", () => {
    const { child_scope, failure, policy_id } = narrowBounds(tight, wide);
    expect([policy_id, failure.max_retries]).toEqual(["policy_wide", 0]);
    expect(child_scope).toEqual({ ...both, tools: ["read", "execute"] });
  });

  it("are the same under the same policy", () => {
    expect(narrowBounds(tight, tight)).toEqual(tight);
  });
});
