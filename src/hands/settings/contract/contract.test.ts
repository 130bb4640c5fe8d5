import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { constantFrom, property, assert, subarray } from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { EffectRunner, RunnableEffect } from "../../engine/effect-runner.js";
import { ACTIONS, BY_ITSELF, Contract, type ContractAction } from "../../../model/settings/contract.js";
import { CoordinatorError } from "../../../model/errors.js";
import type { RunEvent } from "../../../model/event.js";
import { CONTRACT_FILE, findContract } from "./find-contract.js";
import { guardEffects, requireEffectActions } from "../../../app/run/guard-effects.js";
import { loadContract, SHIPPED_CONTRACT } from "./load-contract.js";
import { permit, permitChange, reactsTo, requireAction, unlistedActions } from "../../../mind/contract/permit.js";
import { STANDS_FOR, specifiedAction } from "../../../mind/contract/stands-for.js";

/** The contract as the specification writes it. */
const SPECIFIED = `
name: coordinator
version: "1.0"
mode: autonomous
autonomy_level: L2
triggers: [adr_approved, task_complete, task_blocked, session_end, resume_session]
allowed_actions: [read_adr, create_task, assign_task, update_project_hq, create_handoff, manage_queue, read_codebase]
forbidden_actions: [write_code, make_decisions, modify_adr, bypass_ralph, delete_without_approval]
requires_approval: [delete_task, change_priority, reassign_task, skip_task]
limits: { max_concurrent_tasks: 3, max_queue_size: 50 }
behaviors:
  auto_update_project_hq: true
  auto_create_handoff: true
  auto_assign_tasks: true
  respect_dependencies: true
`;

function project(text?: string): string {
  const root = mkdtempSync(join(tmpdir(), "coordinator-contract-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, ".git"));
  mkdirSync(join(root, "src", "deep"), { recursive: true });
  if (text === undefined) return root;
  mkdirSync(dirname(join(root, CONTRACT_FILE)), { recursive: true });
  writeFileSync(join(root, CONTRACT_FILE), text);
  return root;
}

async function contractOf(root: string): Promise<Contract> {
  const loaded = await loadContract(root);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.contract;
}

const codeOf = (act: () => void): string => {
  try {
    act();
    return "done";
  } catch (error) {
    return error instanceof CoordinatorError ? `${error.code}: ${error.message}` : String(error);
  }
};

describe("the contract", () => {
  it("of an older version stops what it has no name for, and says at once everything that is to be added", async () => {
    const shipped = await contractOf(project());
    expect(BY_ITSELF.toSorted()).toEqual(shipped.allowed_actions.toSorted());
    const newer: readonly string[] = ["anchor_run", "merge_run", "delete_task"];
    const without = (list: readonly ContractAction[]) => list.filter((action) => !newer.includes(action));
    const older: Contract = {
      ...shipped,
      allowed_actions: without(shipped.allowed_actions),
      requires_approval: without(shipped.requires_approval),
    };
    const fixOf = (contract: Contract, action: string) => {
      try {
        requireAction({ contract, file: "contract.yaml", approved: false }, action);
        return null;
      } catch (error) {
        return error instanceof CoordinatorError ? error.fix : String(error);
      }
    };
    expect(fixOf(older, "anchor_run")).toBe(
      "Approve it with --yes, or add what it may do by itself under allowed_actions of contract.yaml, a line each: " +
        '"  - merge_run" "  - anchor_run"',
    );
    // Actions that need approval by the shipped contract are not proposed to be allowed.
    expect(fixOf(older, "delete_task")).toBe("Approve it with --yes, or put delete_task into allowed_actions.");
    expect(fixOf({ ...older, allowed_actions: shipped.allowed_actions }, "anchor_run")).toBeNull();
  });

  it("that is shipped says who the Coordinator is, and what the specification's does [S3-002, S3-059, S3-060, S3-062]", async () => {
    const shipped = await contractOf(project());
    const specified = await contractOf(project(SPECIFIED));
    const { allowed_actions, ...rest } = specified;
    expect(shipped).toMatchObject(rest);
    expect(shipped).toMatchObject({
      name: "coordinator",
      version: "1.0",
      mode: "autonomous",
      domain: "project orchestration",
      autonomy_level: "L2",
    });
    expect(shipped.allowed_actions).toEqual(expect.arrayContaining(allowed_actions));
    expect(readFileSync(SHIPPED_CONTRACT, "utf8")).toContain('version: "1.0"');
  });

  it("has the specification's limits and behaviours by default [S3-069, S3-070]", () => {
    expect(Contract.parse({ name: "coordinator", version: "1.0" })).toMatchObject({
      limits: { max_concurrent_tasks: 3, max_queue_size: 50 },
      behaviors: {
        auto_update_project_hq: true,
        auto_create_handoff: true,
        auto_assign_tasks: true,
        respect_dependencies: true,
      },
    });
  });

  it("is found from anywhere in its repository, and no further", async () => {
    const root = project(SPECIFIED);
    expect(findContract(join(root, "src", "deep"))).toBe(join(root, CONTRACT_FILE));
    expect(findContract(project())).toBeNull();
  });

  it("that is wrong is none, and every problem has its place", async () => {
    const wrong = SPECIFIED.replace("skip_task]", "skip_task, write_code, delet_task]").replace(
      "respect_dependencies: true",
      "respect_dependencies: false",
    );
    const loaded = await loadContract(project(wrong));
    expect(loaded.ok).toBe(false);
    const problems = loaded.ok ? [] : loaded.problems.map(({ path, line }) => [path, line]);
    expect(problems).toContainEqual(["requires_approval[5]", 9]);
    expect(problems).toContainEqual(["behaviors.respect_dependencies", 15]);
    const twice = await loadContract(project(SPECIFIED.replace("skip_task]", "skip_task, write_code]")));
    expect(twice.ok ? [] : twice.problems).toMatchObject([
      { path: "requires_approval[4]", message: "stands in forbidden_actions already: an action stands in one list" },
    ]);
  });

  it("permits by list and by nothing else: what no list names needs approval [S3-068]", () => {
    const split = subarray([...ACTIONS]);
    assert(
      property(split, split, split, constantFrom(...ACTIONS, "unheard_of"), (allowed, forbidden, approval, action) => {
        const contract = Contract.parse({
          name: "coordinator",
          version: "1.0",
          forbidden_actions: forbidden,
          requires_approval: approval.filter((each) => !forbidden.includes(each)),
          allowed_actions: allowed.filter((each) => !forbidden.includes(each) && !approval.includes(each)),
        });
        const listed = [...contract.allowed_actions, ...contract.forbidden_actions, ...contract.requires_approval];
        const wider = specifiedAction(action);
        // The action's own list decides; without one, that of what it is a part of; looking is done without any.
        const name = [action, wider].find((each) => listed.some((one) => one === each)) ?? null;
        const isIn = (list: readonly string[]) => name !== null && list.includes(name);
        const { status } = permit(contract, action);
        expect(status === "forbidden").toBe(isIn(contract.forbidden_actions));
        expect(status === "allowed").toBe(isIn(contract.allowed_actions) || (name === null && wider === "looking"));
      }),
    );
  });

  it("in the specification's words alone covers everything but five things that have no word there [S3-062]", async () => {
    const specified = await contractOf(project(SPECIFIED));
    expect(unlistedActions(specified)).toEqual([
      "merge_run",
      "publish_run",
      "clean_workspaces",
      "set_up_project",
      "anchor_run",
    ]);
    for (const action of BY_ITSELF.filter((each) => !unlistedActions(specified).includes(each)))
      expect([action, permit(specified, action)]).toEqual([action, { status: "allowed" }]);
    // Every name is either the specification's own or in the table.
    const own = [...specified.allowed_actions, ...specified.forbidden_actions, ...specified.requires_approval];
    expect(ACTIONS.filter((action) => !own.includes(action)).toSorted()).toEqual(Object.keys(STANDS_FOR).toSorted());
    // A part is what its whole is: forbidden and approved alike, with both names in the clause.
    const stopped = Contract.parse({ ...specified, allowed_actions: ["read_adr"], forbidden_actions: ["assign_task"] });
    expect(permit(stopped, "carry_out_run")).toEqual({
      status: "forbidden",
      clause: "forbidden_actions: assign_task (carry_out_run is a part of it)",
    });
    expect(permit(stopped, "create_plan")).toEqual({
      status: "needs_approval",
      clause: "create_plan is in none of its lists, nor does create_task, which it is a part of",
    });
    // A list that names the part decides on the part.
    const named = Contract.parse({ ...stopped, requires_approval: ["carry_out_run", "try_agent"] });
    expect(permit(named, "carry_out_run")).toMatchObject({ clause: "requires_approval: carry_out_run" });
    expect(permit(named, "try_agent")).toMatchObject({ status: "needs_approval" });
  });

  it("is documented with the same table", () => {
    const guide = readFileSync(new URL("../../../../docs/guides/contract.md", import.meta.url), "utf8");
    for (const [action, wider] of Object.entries(STANDS_FOR))
      expect(guide).toMatch(
        new RegExp(
          `^\\| \`${action}\` +\\| ${wider === null ? "nothing" : wider === "looking" ? "looking" : `\`${wider}\``} +\\|`,
          "m",
        ),
      );
  });

  it("has a person approve every deletion of a task, also where delete_task is allowed [S3-067]", async () => {
    const shipped = await contractOf(project());
    const lax = Contract.parse({
      ...shipped,
      allowed_actions: [...shipped.allowed_actions, "delete_task", "skip_task"],
      requires_approval: [],
    });
    expect(permitChange(lax, "skip_task")).toEqual({ status: "allowed" });
    expect(permitChange(lax, "delete_task")).toMatchObject({ status: "needs_approval" });
  });

  it("forbids with its clause, whoever approves; the rest a person may approve [S3-068]", async () => {
    const contract = await contractOf(project());
    for (const action of ["write_code", "make_decisions", "modify_adr", "bypass_ralph", "delete_without_approval"])
      for (const approved of [false, true])
        expect(codeOf(() => requireAction({ contract, file: "c.yaml", approved }, action))).toBe(
          `CONTRACT_FORBIDS: The contract forbids this: forbidden_actions: ${action}, in c.yaml`,
        );
    for (const action of ["delete_task", "change_priority", "reassign_task", "skip_task", "unheard_of"]) {
      expect(codeOf(() => requireAction({ contract, file: null, approved: false }, action))).toMatch(
        /^CONTRACT_APPROVAL/,
      );
      expect(codeOf(() => requireAction({ contract, file: null, approved: true }, action))).toBe("done");
    }
    expect(codeOf(() => requireAction({ contract, file: null, approved: false }, "assign_task"))).toBe("done");
  });

  it("says which triggers the Coordinator reacts to [S3-060]", async () => {
    const contract = await contractOf(project(SPECIFIED.replace(", resume_session", "")));
    expect(reactsTo(contract, "session_end")).toBe(true);
    expect(reactsTo(contract, "resume_session")).toBe(false);
  });
});

describe("the gate before effects", () => {
  const done: string[] = [];
  const runner: EffectRunner = {
    run: async (_, effect) => {
      done.push(effect.id);
      return { type: "wait_ended", effect_id: effect.id } satisfies RunEvent;
    },
  };
  const verify: RunnableEffect = { kind: "verify", lifted: [], id: "verify:T#1", task_id: "T", attempt: 1 };
  const options = { signal: new AbortController().signal };

  it("lets no effect through that is not permitted", async () => {
    const shipped = await contractOf(project());
    const parts: readonly string[] = ["verify_result", "assign_task"];
    const without = { ...shipped, allowed_actions: shipped.allowed_actions.filter((each) => !parts.includes(each)) };
    const forbidden = { ...without, forbidden_actions: [...shipped.forbidden_actions, "verify_result" as const] };
    const guarded = (contract: Contract, approved: boolean) => guardEffects({ contract, file: null, approved })(runner);
    await guarded(shipped, false).run("run_a", verify, options);
    await guarded(without, true).run("run_a", verify, options);
    expect(done).toEqual(["verify:T#1", "verify:T#1"]);
    expect(codeOf(() => void guarded(without, false).run("run_a", verify, options))).toMatch(/^CONTRACT_APPROVAL/);
    expect(codeOf(() => void guarded(forbidden, true).run("run_a", verify, options))).toMatch(/^CONTRACT_FORBIDS/);
    expect(done).toHaveLength(2);
    expect(codeOf(() => requireEffectActions({ contract: forbidden, file: null, approved: true }))).toMatch(
      /verify_result/,
    );
  });
});
