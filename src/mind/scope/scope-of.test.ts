import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Scope } from "../../model/scope.js";
import { ScopePolicy } from "../../model/settings/scope-policy.js";
import { compileGuardrails } from "./compile-guardrails.js";
import { compileScope } from "./judge.js";
import { scopeOf, type ScopedTask, toScopedTask, withNetwork } from "./scope-of.js";

const shipped = ScopePolicy.parse(parse(readFileSync(new URL("../../../policy/scope.yaml", import.meta.url), "utf8")));
const policy = (given: object = {}) => ScopePolicy.parse({ schema_version: "1.0.0", ...given });
const TASK: ScopedTask = {
  reads: ["docs/**"],
  writes: ["src/cart/**"],
  effects: ["read", "write"],
  builder: "feature",
  minutes: 5,
  files: 12,
};
const none = { commands: [], write: [], network: [] };

describe("withNetwork", () => {
  it("adds what a project lets everybody reach, and the tool to reach it with", () => {
    const { scope } = scopeOf(TASK, policy(), []);
    expect(withNetwork(scope, [])).toEqual(scope);
    const wider = withNetwork({ ...scope, network: ["b.example"] }, ["c.example", "a.example", "b.example"]);
    expect(wider.network).toEqual(["a.example", "b.example", "c.example"]);
    expect(wider.tools).toEqual([...scope.tools, "fetch"]);
    expect(withNetwork(wider, ["a.example"])).toEqual(wider);
  });
});

describe("scopeOf", () => {
  it("is made of the plan and the policy, and reaches no host by itself", () => {
    const { scope, refused } = scopeOf(TASK, shipped, []);
    expect(Scope.parse(scope)).toEqual(scope);
    expect(scope).toMatchObject({ read: ["**"], write: ["src/cart/**"], network: [], minutes: 20, files: 12 });
    expect(scope.tools).toEqual(["read", "search", "think", "edit", "delete", "move", "execute"]);
    expect(scope.commands).toContain("*");
    expect(refused).toEqual(none);
  });

  it("gives an action that only reads nothing to write with", () => {
    const { scope } = scopeOf({ ...TASK, effects: ["read"] }, shipped, []);
    expect(scope.write).toEqual([]);
    expect(scope.tools).not.toContain("edit");
    expect(scope.commands).not.toContain("*");
    expect(scope.commands).toContain("ls *");
  });

  it("takes its hosts from the policy only when the plan has the effect network", () => {
    const own = policy({ network: ["registry.npmjs.org"] });
    expect(scopeOf(TASK, own, []).scope.network).toEqual([]);
    const reaching = scopeOf({ ...TASK, effects: ["read", "network"] }, own, []).scope;
    expect(reaching).toMatchObject({ network: ["registry.npmjs.org"], tools: ["read", "search", "think", "fetch"] });
  });

  it("puts only what an action reads and writes into the workspace, when the policy says so", () => {
    expect(scopeOf(TASK, policy({ narrow_reads: true }), []).scope.read).toEqual(["docs/**", "src/cart/**"]);
  });

  it("takes what people added", () => {
    const addition = { commands: ["make all"], write: ["README.md"], network: ["api.example.com"] };
    const { scope } = scopeOf(TASK, policy(), [addition, addition]);
    expect(scope).toMatchObject({
      commands: ["make all"],
      write: ["README.md", "src/cart/**"],
      network: ["api.example.com"],
    });
    const judge = compileScope(scope, compileGuardrails([]));
    const use = {
      tool_call_id: "c",
      stage: "deed" as const,
      kind: "execute" as const,
      title: "",
      paths: [],
      hosts: [],
    };
    expect(judge({ ...use, command: "make all" }).decision).toBe("allow");
    expect(judge({ ...use, command: "make" }).decision).toBe("violation");
  });

  it("is never wider than the contract, and says what it left out", () => {
    const most = {
      commands: ["npm *", "make \\*"],
      write: ["src/**"],
      network: ["*.example.com"],
      minutes: 15,
      files: 3,
    };
    const { scope, refused } = scopeOf({ ...TASK, writes: ["src/a.ts", "lib/b.ts"] }, policy({ most }), [
      {
        commands: ["npm test *", "npm test; rm x", "make *", "rm *"],
        write: ["**", "src/*.ts"],
        network: ["a.example.com", "evil.example"],
      },
    ]);
    expect(scope).toMatchObject({
      commands: ["npm test *"],
      write: ["src/*.ts", "src/a.ts"],
      network: ["a.example.com"],
      minutes: 15,
      files: 3,
    });
    expect(refused).toEqual({
      commands: ["make *", "npm test; rm x", "rm *"],
      write: ["**", "lib/b.ts"],
      network: ["evil.example"],
    });
  });

  it("does not care about the order of additions", () => {
    const text = fc.constantFrom("npm test", "make", "rm *", "ls");
    const addition = fc.record({
      commands: fc.array(text, { maxLength: 3 }),
      write: fc.array(fc.constantFrom("a", "b/**", "src/c"), { maxLength: 3 }),
      network: fc.array(fc.constantFrom("x.y", "z"), { maxLength: 2 }),
    });
    const own = policy({ most: { write: ["b/**", "src/**"] } });
    fc.assert(
      fc.property(fc.array(addition, { maxLength: 4 }), (additions) => {
        expect(scopeOf(TASK, own, additions.toReversed())).toEqual(scopeOf(TASK, own, additions));
      }),
    );
  });
});

describe("toScopedTask", () => {
  const metadata = {
    decision: { decision: "allow" as const, rule_id: "r" },
    estimate: { cost_usd: 0, minutes: 7, source: "registry" as const, tokens: 1 },
    model_decision: "m",
    owner: "feature_builder",
    owner_because: "owns_command" as const,
    phase: "implementation",
    workflow_id: "w",
  };
  const budget = { tokens: 1, cost_usd: 1, minutes: 1, files: 4.5, commits: 1, api_calls: 1 };

  it("reads the action of a graph, and falls back to what its owner may write", () => {
    const owner = { builder: "docs" as const, writes: ["docs/**"] };
    expect(toScopedTask({ effects: ["write"], metadata }, owner, budget)).toEqual({
      reads: [],
      writes: ["docs/**"],
      effects: ["write"],
      builder: "docs",
      minutes: 7,
      files: 4,
    });
    const named = toScopedTask(
      { effects: ["write"], metadata: { ...metadata, writes: ["src/a.ts"], reads: ["x"] } },
      owner,
      null,
    );
    expect(named).toMatchObject({ writes: ["src/a.ts"], reads: ["x"], files: null });
  });
});
