import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Step } from "../../src/hands/agents/scripted/script.js";
import type { EventOf, LoggedEvent, RunEvent } from "../../src/model/event.js";
import { ensureBuilt } from "../build.js";
import { type Asked, asked, inputsOf } from "./asked.js";

/* The routing policy binds the attempts of a run: what a child may do, for how long, and how often it is tried again. */

beforeAll(ensureBuilt);

const ASK = "Rename the function greet in src/net.mjs to hello";
const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
  "src/net.mjs": 'export const greet = () => "hi";\n',
  "test/net.test.mjs":
    'import { test } from "node:test";\nimport * as net from "../src/net.mjs";\ntest("there", () => { if (Object.keys(net).length === 0) throw new Error("nothing"); });\n',
  ".gitignore": ".coordinator/\n",
};
const WRITES: readonly Step[] = [{ write: "src/net.mjs", text: 'export const hello = () => "hi";\n' }, { say: "DONE" }];

interface Policy {
  readonly child_scopes?: { readonly dev: object };
  readonly failure?: object;
}

function withPolicy(policy: Policy, steps: readonly Step[], settings: object = {}): Asked {
  const document = {
    schema_version: "1.0.0",
    policy_id: "policy_of_test",
    rules: [{ id: "all_dev", category: "technical_explicit", target: "dev", confidence: "heuristic", when: "true" }],
    ...policy,
  };
  const run = { failure: { base_delay_ms: 0, max_delay_ms: 0 } };
  return asked(
    { ...FILES, "governance/policy.json": JSON.stringify(document) },
    [ASK, `Write tests: ${ASK}`, `Document: ${ASK}`].map((title) => ({ title, steps })),
    { settings: { run, ...settings } },
  );
}

const all = <T extends RunEvent["type"]>(events: readonly LoggedEvent[], type: T): EventOf<T>[] =>
  events.flatMap(({ event }) => (event.type === type ? [event as EventOf<T>] : []));

const NARROW = { tools: ["read"], write: ["nothing/**"], network: [], time_limit_ms: 60_000, max_output_bytes: 4096 };

const SOME = { ...NARROW, tools: ["read", "edit"], write: ["test/**"] };

describe("child_scopes of the routing policy", () => {
  it("refuses a plan whose tasks would have nothing left, wherever it is made, and begins no run [S0-001, S0-018]", async () => {
    const desk = withPolicy({ child_scopes: { dev: NARROW } }, WRITES);
    for (const command of ["plan", "run"]) {
      const refused = desk.call(command, ASK, "--yes", "--json");
      expect(refused.code, refused.stdout).toBe(4);
      expect(refused.stdout).toContain("BOUNDS_EXCEEDED");
      expect(refused.stdout).toMatch(
        /asks for the tools search, edit, delete, move, execute; the routing policy policy_of_test leaves read, think/,
      );
    }
    expect(await desk.runs()).toEqual([]);
    // The same rule for an intent that somebody wrote down.
    const policy = join(desk.cwd, "governance/policy.json");
    renameSync(policy, `${policy}.away`);
    expect(desk.call("plan", ASK, "--type", "technical", "--out", "plan").code).toBe(0);
    renameSync(`${policy}.away`, policy);
    const intent = desk.call("plan", "--intent", ...inputsOf("plan"), "--out", "again");
    expect([intent.code, intent.stderr], intent.stdout).toEqual([4, expect.stringContaining("BOUNDS_EXCEEDED")]);
    expect(existsSync(join(desk.cwd, "again"))).toBe(false);
  });

  it("leaves a child only the tools and paths it permits, says what is left out, and explain names the policy [S0-001, S0-018, S0-056]", async () => {
    const desk = withPolicy({ child_scopes: { dev: SOME } }, WRITES);
    const planned = desk.call("plan", ASK).stdout.replaceAll(/\s+/g, " ");
    expect(planned).toContain("asks to write src/**; the routing policy policy_of_test leaves test/**.");
    const ran = desk.call("run", ASK, "--yes");
    expect(ran.code, ran.stdout).toBe(3);
    expect(ran.stderr).toContain("asks to write src/**; the routing policy policy_of_test leaves test/**.");
    const events = await desk.log();
    const [frozen] = all(events, "plan_frozen");
    expect(frozen?.plan.bounds).toMatchObject({ policy_id: "policy_of_test", target: "dev", child_scope: SOME });
    const [task] = frozen?.plan.tasks ?? [];
    expect(task?.scope).toMatchObject({
      write: ["test/**"],
      network: [],
      minutes: 1,
      output_bytes: 4096,
      commands: [],
    });
    expect(task?.scope?.tools).toEqual(["read", "think", "edit", "delete", "move"]);
    const judged = all(events, "tool_judged").filter(({ judgement }) => judgement.decision !== "allow");
    expect(judged.map(({ judgement }) => judgement.rule_id)).toContain("scope_write");
    expect(all(events, "verification_finished").filter(({ verdict }) => verdict === "PASS")).toEqual([]);
    const [run = ""] = (await desk.runs()).slice(-1);
    expect(desk.git("for-each-ref", `refs/coord/${run}/head`)).not.toContain("hello");
    const told = desk.call("explain", task?.task_id ?? "", "--run", "last").stdout.replaceAll(/\s+/g, " ");
    expect(told).toMatch(/Time: 60 s, set by the routing policy policy_of_test/);
    expect(told).toMatch(/Write: test\/\*\*, set by the routing policy/);
    expect(told).toContain(
      "Left out: the plan asks to write src/**; the routing policy policy_of_test leaves test/**.",
    );
  });

  it("ends an attempt at the time and at the output it allows", async () => {
    const slow = withPolicy({ child_scopes: { dev: { time_limit_ms: 1000 } }, failure: { max_retries: 0 } }, [
      { sleep: 20_000 },
      ...WRITES,
    ]);
    expect(slow.call("run", ASK, "--yes").code).toBe(3);
    const [late] = all(await slow.log(), "attempt_finished");
    expect(late?.outcome).toMatchObject({ kind: "structural", error: "timeout" });
    const loud = withPolicy({ child_scopes: { dev: { max_output_bytes: 20_000 } }, failure: { max_retries: 0 } }, [
      { flood: 200_000, line: true },
      ...WRITES,
    ]);
    expect(loud.call("run", ASK, "--yes").code).toBe(3);
    const [flooded] = all(await loud.log(), "attempt_finished");
    expect(flooded?.outcome.kind).not.toBe("completed");
    expect(JSON.stringify(flooded?.outcome)).toMatch(/printed|output|bytes/i);
  });

  it("takes away the hosts that the project grants, and what people add to a scope [S0-018]", async () => {
    const desk = withPolicy({ child_scopes: { dev: { network: [], write: ["test/**"] } } }, WRITES, {
      scope: { network: ["registry.npmjs.org"] },
    });
    desk.call("trust", "--yes");
    expect(desk.call("run", ASK, "--yes").code).toBe(3);
    const [run = ""] = (await desk.runs()).slice(-1);
    const [order] = Object.values(desk.orders(run));
    expect(order?.scope).toMatchObject({ network: [], write: ["test/**"] });
    const [entry] = (desk.json("inbox") as { entries: { id: string }[] }).entries;
    const widened = desk.call("approve", entry?.id ?? "");
    expect(widened.code, widened.stdout + widened.stderr).toBe(0);
    desk.call("run", "--last");
    const [again] = Object.values(desk.orders(run));
    expect([again?.name.attemptId, again?.scope.write]).toEqual(["2", ["test/**"]]);
  });
});

describe("a routing policy that is changed after a plan was made", () => {
  it("binds the run: the narrower of both holds, and explain names the policy that is in force [S0-001, S0-018, S0-011]", async () => {
    const desk = withPolicy({ child_scopes: { dev: { network: [] } } }, WRITES);
    expect(desk.call("plan", ASK, "--out", "plan").code).toBe(0);
    const file = join(desk.cwd, "governance/policy.json");
    const before = JSON.parse(readFileSync(file, "utf8")) as object;
    const dev = { write: ["test/**"], time_limit_ms: 60_000 };
    const tighter = { ...before, policy_id: "policy_since", child_scopes: { dev }, failure: { max_retries: 0 } };
    writeFileSync(file, JSON.stringify(tighter));
    const ran = desk.call("run", "--plan", "plan", "--yes");
    expect(ran.stderr).toContain("asks to write src/**; the routing policy policy_since leaves test/**.");
    const events = await desk.log();
    expect(all(events, "plan_frozen")[0]?.plan.bounds).toMatchObject({
      policy_id: "policy_since",
      child_scope: { write: ["test/**"], network: [], time_limit_ms: 60_000 },
      failure: { max_retries: 0 },
    });
    expect(all(events, "request_received")[0]?.policy.failure.max_retries).toBe(0);
    expect(all(events, "integration_finished")).toEqual([]);
    // One that leaves nothing is refused, as when it is planned.
    writeFileSync(file, JSON.stringify({ ...before, child_scopes: { dev: NARROW } }));
    const refused = desk.call("run", "--plan", "plan", "--yes");
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining("BOUNDS_EXCEEDED")]);
  });
});

describe("failure of the routing policy", () => {
  it("is the failure policy of the run: no retry with max_retries 0, one with 1 [S0-011, S0-049, S0-051, S0-052]", async () => {
    for (const max_retries of [0, 1]) {
      const desk = withPolicy({ failure: { max_retries } }, [{ exit: 9 }]);
      const ran = desk.call("run", ASK, "--yes");
      expect(ran.code, ran.stdout).toBe(3);
      const events = await desk.log();
      expect(all(events, "request_received")[0]?.policy.failure.max_retries).toBe(max_retries);
      // Another approach is tried once after the retries, unless the policy allows no second try at all.
      const attempts = max_retries === 0 ? 1 : 2 + max_retries;
      expect(all(events, "attempt_started")).toHaveLength(attempts);
      expect(all(events, "alternative_chosen")).toHaveLength(max_retries === 0 ? 0 : 1);
      const [raised] = all(events, "escalation_raised");
      expect(raised?.escalation).toMatchObject({ type: "technical_blocker", attempt: attempts });
      const told = desk.call("explain", raised?.escalation.escalation_id ?? "", "--run", "last").stdout;
      expect(told).toContain(`of the routing policy policy_of_test allows ${max_retries} retries`);
    }
  });

  it("ends a task without asking anybody when the policy does not list the trigger [S0-011]", async () => {
    const escalation_triggers = ["rule_violation", "spec_violation", "scope_violation"];
    const desk = withPolicy({ failure: { max_retries: 0, escalation_triggers } }, [{ exit: 9 }]);
    expect(desk.call("run", ASK, "--yes").code).toBe(1);
    const events = await desk.log();
    const [answered] = all(events, "escalation_answered");
    expect(answered).toMatchObject({ order: { action: "give_up" }, decider: { how: "rule" } });
    expect(events.at(-1)?.event).toMatchObject({ type: "run_finished", status: "failed" });
  });
});
