import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { Step } from "../../src/hands/agents/scripted/script.js";
import { type LoggedEvent, RunEvent, type RunEventType } from "../../src/model/event.js";
import { ensureBuilt } from "../build.js";
import { addOwnSettings } from "../own-settings.js";
import { carryOutRun, type Ended, FILE, realProject, realTask, RUN, scopeOf, type Steps } from "../run/real-run.js";
import { type Asked, asked } from "./asked.js";
import { makeProject, PROGRAM, promptOf } from "./project.js";

/*
 * `coordinator explain N --run RUN` for every kind of event, in whole runs with the scripted agent: which rule or person
 * decided, on what, and what else there was. The last test says that no kind is left out.
 */

beforeAll(ensureBuilt);

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const seen = new Set<RunEventType>();

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const call = ({ cwd, env }: Place, ...args: string[]) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [PROGRAM, ...args], { cwd, env, encoding: "utf8" });
  return { code: status, text: `${stdout}${stderr}`.replaceAll(/\s+/g, " ") };
};

/** Asks the program about the last event of each of these kinds, and expects this in its answer. */
function tells(at: Place, log: readonly LoggedEvent[], expected: Partial<Record<RunEventType, RegExp>>): void {
  for (const [type, words] of Object.entries(expected)) {
    const found = log.findLast(({ event }) => event.type === type);
    expect(found, `${type} is not in the log: ${log.map(({ event }) => event.type).join(" ")}`).toBeDefined();
    const told = call(at, "explain", String(found?.sequence), "--run", "last");
    expect([type, told.code, told.text]).toEqual([type, 0, expect.stringMatching(words) as string]);
    expect([type, told.text]).toEqual([type, expect.stringContaining("Alternatives") as string]);
    seen.add(type as RunEventType);
  }
}

const FILES = {
  "package.json": '{"type":"module","dependencies":{"react":"19"},"scripts":{"test":"node --test"}}\n',
  "src/home.jsx": "export const Home = () => null;\n",
  "test/index.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
  "docs/words.md": "Words are short.\n",
  "governance/context.yaml": "- ref: docs/words.md\n  kind: standard\n",
  ".gitignore": ".coordinator/\n",
};
const WORDS = "Fix the label of the button on the home page of the frontend in src/home.jsx";
const WORK: readonly Step[] = [
  { write: "src/home.jsx", text: 'export const Home = () => "Save";\n' },
  { usage: { in: 100, out: 20, cost_usd: 0.001 } },
  { say: "BUGFIX_COMPLETE" },
];

function frontend(script: Parameters<typeof asked>[1]): Asked {
  const here = asked(FILES, script);
  const request = {
    request_id: "11111111-2222-4333-8444-555555555555",
    timestamp: "2026-02-03T04:05:06Z",
    user_request: WORDS,
    context: { project_type: "frontend" },
  };
  writeFileSync(join(here.cwd, "..", "request.json"), JSON.stringify(request));
  addOwnSettings(here.env["HOME"] ?? "", { notify: { command: ["true"] } });
  return here;
}

describe("a run from its request to its merge", () => {
  it("is explained at every step [S1-146]", async () => {
    const here = frontend([{ title: WORDS, steps: WORK }]);
    const ran = call(here, "run", "--request", "../request.json", "--yes");
    expect(ran.code, ran.text).toBe(3);
    const criterion = "criterion:accessibility";
    tells(here, await here.log(), {
      question_asked: /The type of the project asks for it, no check of the project shows it.*It waits for an answer/,
      notification_sent: /criterion:accessibility waits for a person, and the settings name ways.*command: sent/,
    });
    expect(call(here, "answer", criterion, "waived: only a text", "--by", "grace").code).toBe(0);
    expect(call(here, "run", "--last").code).toBe(0);
    expect(call(here, "merge", "last", "--yes").code).toBe(0);
    const log = await here.log();
    tells(here, log, {
      request_received: /later changes of the files do not affect it.*Retries: \d+, by the/,
      intake_decided: /The intake policy decides approved: .*reject it: nothing in it is unsafe/,
      route_decided:
        /Rule \w+ of the routing policy sends it to dev.*docs\/words\.md is included for dev by dev_standards/,
      message_sent: /coordinator and planner|planner and coordinator/,
      brief_kept: /docs\/words\.md was given; the route says by which rule/,
      plan_frozen:
        /made again from its own inputs and is the same to the byte.*by scripted.*accessibility: no check shows it.*checksum/,
      plan_approved: /Decided by ada, beforehand with --yes.*Nothing could start before it/,
      sandbox_graded: /tried on this machine when the process began/,
      attempt_started: /Everything it waits for is done.*The plan names scripted/,
      attempt_progressed: /compared with what was set aside for it.*stop the attempt: it is within/,
      tool_judged: /Rule \w+ decides allow.*refuse it: it is within the scope/,
      iteration_finished: /The completion promise was given, and no check is worse/,
      attempt_finished:
        /nothing it did is a violation\. Only the checks say.*promise BUGFIX_COMPLETE after 1 turns.*Then: .*verdict PASS.*no agent's word counts/,
      verification_finished: /compared with the same checks on its base, give PASS.*FAIL: nothing is worse/,
      integration_finished: /Its verdict is PASS, it merges with the branch/,
      review_finished:
        /run\.coordinator_mode is conflicts: an agent is asked only where.*no defect was named, so its task is done.*refuse it: a review refuses work only by naming a defect/,
      question_answered: /Decided by grace.*Asked was: .*The last gate counts the criterion as the answer says/,
      gate_decided: /met, .*NO_GO: every criterion is met/,
      run_finished: /failed: every task is done and every gate decided GO/,
      run_merged: /A branch of a person moves only by their own command/,
    });
    for (const id of ["request", "intake", "route", "brief", "plan", "approval", "sandbox", "end", "merge", criterion])
      expect([id, call(here, "explain", id, "--run", "last").code]).toEqual([id, 0]);
    expect(call(here, "explain", "--run", "last").text).toMatch(/request .*plan .*sandbox .*end merge/);
  });

  it("says who rejected the plan [S1-146]", async () => {
    const here = asked(FILES, []);
    const planned = call(here, "run", WORDS, "--type", "technical");
    expect(planned.code).toBe(3);
    const [, id = ""] = /coordinator approve (\S+)/.exec(planned.text) ?? [];
    expect(call(here, "reject", id, "--reason", "too early").code).toBe(0);
    tells(here, await here.log(), { plan_rejected: /Decided by ada.*too early.*A rejected plan ends its run/ });
  });
});

describe("what the contract leaves to a person", () => {
  const contract = readFileSync(join(ROOT, "policy/contract.yaml"), "utf8")
    .replace("auto_assign_tasks: true", "auto_assign_tasks: false")
    .replace("  - merge_run\n", "")
    .replace("requires_approval:\n", "requires_approval:\n  - merge_run\n");

  it("is explained: each assignment, and what was approved with --yes [S1-146]", async () => {
    const here = asked({ ...FILES, "governance/contracts/coordinator.yaml": contract }, [
      { title: WORDS, steps: WORK },
    ]);
    call(here, "run", WORDS, "--type", "technical", "--yes");
    const assignment = /assign:[\w-]+/.exec(call(here, "inbox").text)?.[0] ?? "";
    expect(call(here, "approve", assignment, "--by", "grace").code).toBe(0);
    const ended = call(here, "run", "--last");
    expect(ended.code, ended.text).toBe(0);
    expect(call(here, "merge", "last", "--yes").code).toBe(0);
    tells(here, await here.log(), {
      review_approved: /Decided by grace.*could not start before it.*reject it: grace approved it/,
      approval_given: /Decided by ada, beforehand with --yes.*It had to be approved: requires_approval: merge_run/,
    });
    call(here, "run", WORDS, "--type", "technical", "--yes");
    const second = /assign:[\w-]+/.exec(call(here, "inbox").text)?.[0] ?? "";
    expect(call(here, "reject", second, "--reason", "not now").code).toBe(0);
    tells(here, await here.log(), { review_rejected: /Decided by ada.*not now.*approve it: ada rejected it/ });
  });
});

describe("what an agent is not given", () => {
  it("is explained when routing is evaluated again [S1-146]", async () => {
    const here = asked(FILES, [
      { title: WORDS, attempt: 1, steps: [{ ask: "Which words?" }] },
      { title: WORDS, steps: WORK },
    ]);
    const planned = call(here, "run", WORDS, "--type", "technical");
    const [, id = ""] = /coordinator approve (\S+)/.exec(planned.text) ?? [];
    expect(call(here, "approve", id).code).toBe(0);
    const registry = join(here.cwd, "governance/context.yaml");
    writeFileSync(join(here.cwd, "docs/more.md"), "More.\n");
    writeFileSync(registry, `${readFileSync(registry, "utf8")}- ref: docs/more.md\n  kind: standard\n`);
    call(here, "run", "--last");
    const log = await here.log();
    tells(here, log, {
      route_reevaluated: /Nothing it said was an argument.*docs\/more\.md is included for dev by dev_standards/,
      attempt_started: /The attempt before it was not given enough.*ask a person: the registry had more documents/,
    });
  });
});

describe("what must be true in the end", () => {
  it("is explained for each requirement [S1-146]", async () => {
    const made = makeProject({
      files: { "docs/book.txt": "A book.\n" },
      tasks: [{ id: "page-1", dependencies: [] }],
      script: [
        {
          prompt_has: promptOf("page-1"),
          steps: [{ write: "docs/page-1.txt", text: "whole\n" }, { say: "DOCS_COMPLETE" }],
        },
      ],
      configuration: { checks: [{ name: "book", run: "grep -q book docs/book.txt" }] },
    });
    const requirement = (id: string, path: string, priority: string) => ({
      id,
      description: `${id} is so.`,
      verification: { kind: "file_exists", path },
      source: "request: page",
      priority,
    });
    const spec = {
      schema_version: "1.0.0",
      id: "IS-pages",
      objective: "The handbook has its first page.",
      requirements: [
        requirement("REQ-1", "docs/page-1.txt", "must_have"),
        requirement("REQ-2", "docs/page-2.txt", "nice_to_have"),
      ],
      constraints: [],
      out_of_scope: ["A third page"],
      assumptions: [],
      context_refs: [],
    };
    writeFileSync(join(made.folder, "brief.json"), JSON.stringify({ request: "Write it", spec }));
    const at = { cwd: made.project, env: made.environment };
    expect(call(at, "run", "--plan", "plan", "--brief", "../brief.json", "--yes").code).toBe(0);
    tells(at, await logOf(at.cwd), {
      requirements_judged: /REQ-1 holds.*REQ-2 does not hold.*hold the run: everything that must hold does/,
    });
  });
});

async function logOf(cwd: string): Promise<LoggedEvent[]> {
  const { readRuns } = await import("../../src/app/project/open-runs.js");
  const { stateFolder } = await import("../../src/app/project/state-folder.js");
  const reader = await readRuns(stateFolder(cwd));
  const log: LoggedEvent[] = [];
  const newest = (await reader?.runs())?.at(-1)?.run_id ?? "";
  for await (const logged of reader?.read(newest, {}) ?? []) log.push(logged);
  await reader?.close();
  return log;
}

describe("a model that is limited", () => {
  it("is explained with the fallback of the plan [S1-146]", async () => {
    const [small, large] = ["claude-haiku-4-5", "claude-sonnet-4-5"];
    const here = asked(
      FILES,
      [
        { title: WORDS, attempt: 1, steps: [{ fail: { code: -32_603, message: "429 rate limit reached" } }] },
        { title: WORDS, steps: WORK },
      ],
      { settings: { default_agent: "helper" } },
    );
    addOwnSettings(here.env["HOME"] ?? "", {
      agents: {
        helper: {
          preset: "scripted",
          command: [...here.agent, "--models", `${small},${large}`],
          models: [small, large],
        },
      },
    });
    call(here, "run", WORDS, "--type", "technical", "--yes");
    tells(here, await here.log(), {
      fallback_taken: /Attempt 1 ended with rate_limit.*passed by at once with the next fallback of the plan/,
      attempt_started: /Attempt 1 ended with rate_limit/,
    });
  });
});

describe("a conflict", () => {
  it("is explained with its session, its budget and its review [S1-146]", async () => {
    const writes = (title: string, line: string): Steps => ({
      prompt_has: `Your task: ${title}`,
      steps: [{ write: FILE, text: `alpha\n${line}\nomega\n` }, { say: "done" }],
    });
    const answer = { review_summary: "Both.", fixes_applied: ["kept both"], left_out: [], warnings_for_next_level: [] };
    const project = realProject([
      writes("Name the fruit", "fruit: apple"),
      writes("Name the trees", "tree: beech"),
      {
        prompt_has: "You are a Level Coordinator",
        steps: [{ write: FILE, text: "alpha\nfruit: apple\ntree: beech\nomega\n" }, { answer }],
      },
    ]);
    const { log } = await carryOutRun(project, [realTask("T1", "Name the fruit"), realTask("T2", "Name the trees")]);
    tells({ cwd: project.root, env: project.env }, log, {
      conflict_found: /Git cannot merge the result with the branch.*take one of both sides: no line of either side/,
      coordination_reserved: /conflict resolution: T\d#1.*starts only with its budget set aside/,
      coordination_used: /belongs to no task and is counted against the run's budget/,
      conflict_resolved: /An agent made one of both sides, in round 1.*take it without checks/,
    });
  });

  it("is a person's in the mode that asks no agent, and says so [S1-146]", async () => {
    const writes = (title: string, line: string): Steps => ({
      prompt_has: `Your task: ${title}`,
      steps: [{ write: FILE, text: `alpha\n${line}\nomega\n` }, { say: "done" }],
    });
    const project = realProject([writes("Name the fruit", "apple"), writes("Name the trees", "beech")]);
    const { log } = await carryOutRun(project, [realTask("T1", "Name the fruit"), realTask("T2", "Name the trees")], {
      coordinator_mode: "off",
    });
    tells({ cwd: project.root, env: project.env }, log, {
      conflict_found: /run\.coordinator_mode is off, so no agent is asked, and a person decides/,
      review_finished: /run\.coordinator_mode is off, so no agent was asked/,
    });
  });
});

describe("attempts that do not get through", () => {
  const crashing = (failure: object, script: readonly Steps[] = []) => {
    const project = realProject([...script, { prompt_has: "Your task: Extend", steps: [{ exit: 3 }] }]);
    const at = { cwd: project.root, env: project.env };
    const policy = { failure: { base_delay_ms: 1, ...failure } } as Parameters<typeof carryOutRun>[2];
    return { project, at, policy };
  };

  it("are explained: waits, the breaker, the other approach, the escalation and its answer [S1-146]", async () => {
    const { project, at, policy } = crashing({ max_retries: 1, breaker_failures: 2, breaker_open_ms: 1 });
    const tasks = [realTask("T1", "Extend the list", { alternatives: [], type: "feature" })];
    const { log, of } = await carryOutRun(project, tasks, policy);
    tells(at, log, {
      attempt_finished: /a structural failure\. The failure policy allows 1 retries.*Then: escalation/,
      wait_ended: /The breaker of an agent was open until now|The failure policy waits before a retry/,
      breaker_changed: /scripted has failed 2 times since its breaker was last closed/,
      alternative_chosen: /gets one other approach before a person is asked.*works by another prompt/,
      escalation_raised: /allows 1 retries, and none is left.*It waits for an answer/,
    });
    const id = of("escalation_raised")[0]?.escalation.escalation_id ?? "";
    expect(call(at, "answer", id, "--order", "retry", "--by", "ada").code).toBe(0);
    tells(at, await logOf(at.cwd), { escalation_answered: /Decided by ada.*Asked was: No attempt got through/ });
  });

  it("alike stop the run, and a change of a task and its end are explained [S1-146]", async () => {
    const { project, at, policy } = crashing({ max_retries: 0, same_signature_tasks: 2 });
    const tasks = ["T1", "T2", "T3"].map((id) =>
      realTask(id, `Extend ${id}`, id === "T3" ? { dependencies: ["T1"] } : {}),
    );
    const { log } = await carryOutRun(project, tasks, policy);
    tells(at, log, { dispatch_paused: /No new attempt starts: the same failure on 2 tasks.*esc_/ });
    const proposed = call(at, "tasks", "skip", RUN, "T3", "--reason", "not now", "--by", "ada");
    const [change] = (await logOf(at.cwd)).flatMap(({ event }) =>
      event.type === "change_proposed" ? [event.change_id] : [],
    );
    expect(change, proposed.text).toBeDefined();
    tells(at, await logOf(at.cwd), { change_proposed: /ada wants it.*It waits for a decision/ });
    expect(call(at, "approve", change ?? "", "--by", "ada").code).toBe(0);
    const raised = call(at, "budget", RUN, "--add", "tokens=1000", "--note", "more to do", "--by", "ada");
    expect(raised.code, raised.text).toBe(0);
    expect(call(at, "cancel", RUN, "--reason", "enough", "--by", "ada").code).toBe(0);
    tells(at, await logOf(at.cwd), {
      change_decided: /Decided by ada.*The task is changed from here on/,
      budget_raised: /Decided by ada.*more to do.*had not reached its limit/,
      run_cancelled: /Decided by ada.*enough.*let it go on: ada cancelled it/,
    });
  });
});

describe("a scope that is too narrow", () => {
  const asks: readonly Steps[] = [
    {
      prompt_has: "Your task: Extend the list",
      steps: [{ write: "src/other.txt", text: "more\n" }, { say: "I need it" }],
    },
  ];
  const run = async () => {
    const project = realProject(asks);
    const ended = await carryOutRun(project, [realTask("T1", "Extend the list", { scope: scopeOf(FILE) })]);
    return { project, ended, at: { cwd: project.root, env: project.env } };
  };

  it("is explained when a person widens it, and why the task is tried again [S1-146]", async () => {
    const { project, ended, at } = await run();
    tells(at, ended.log, {
      attempt_finished: /It needs more than its scope allows, and did nothing outside of it.*only a person may/,
    });
    expect(call(at, "approve", "scope_T1#1", "--by", "ada").code).toBe(0);
    const after = await carryOutRun(project, []);
    tells(at, after.log, {
      scope_widened: /Decided by ada.*Only a person widens a scope, for this task alone/,
      attempt_started: /A person let the task do more/,
    });
  });

  it("is explained when a person refuses it [S1-146]", async () => {
    const { at } = await run();
    expect(call(at, "reject", "scope_T1#1", "--reason", "not yours", "--by", "ada").code).toBe(0);
    tells(at, await logOf(at.cwd), { scope_refused: /Decided by ada.*not yours.*widen it: ada refused it/ });
  });
});

describe("a result that is held", () => {
  it("is explained when a person waives what held it, and it is judged again [S1-146]", async () => {
    const project = realProject(
      [{ prompt_has: "Your task: Extend", steps: [{ write: FILE, text: "alpha\nbeta\nomega\n" }, { say: "done" }] }],
      { checks: [{ name: "absent", run: "no-such-program" }] },
    );
    const at = { cwd: project.root, env: project.env };
    const held: Ended = await carryOutRun(project, [realTask("T1", "Extend the list")]);
    const id = held.of("escalation_raised")[0]?.escalation.escalation_id ?? "";
    tells(at, held.log, { verification_finished: /give BLOCKED.*PASS, by a person who accepts/ });
    expect(call(at, "answer", id, "--order", "waive", "--note", "seen by hand", "--by", "ada").code).toBe(0);
    const after = await carryOutRun(project, []);
    tells(at, after.log, {
      judgement_resumed: /Decided by ada.*A person waived what held the result.*another attempt: the work is there/,
    });
  });
});

describe("every kind of event", () => {
  it("was asked about in one of these runs", () => {
    const kinds = RunEvent.options.map(({ shape }) => shape.type.value);
    expect(kinds.filter((kind) => !seen.has(kind))).toEqual([]);
  });
});
