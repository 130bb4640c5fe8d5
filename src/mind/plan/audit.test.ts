import { describe, expect, it } from "vitest";
import { AuditEntry } from "../../model/tape.js";
import {
  answersTo,
  command,
  type Difference,
  fact,
  inputsWith,
  parameter,
  plannedCommand,
  rule,
  services,
} from "../../testing/plan-fixtures.js";
import { buildAudit } from "./audit.js";
import { plan } from "./plan.js";

const asking: Difference = {
  registry: (r) => {
    r.facts = [fact("tests_pass")];
    r.rules.push(rule("tested", `command.id == "edit_code" && facts.tests_pass`, { decision: "warn" }));
    r.commands.push(command("name_it", { parameters: [parameter("name")] }));
  },
  intent: (i) => i.planned_commands.push(plannedCommand("name_it")),
};
function audit(difference: Difference) {
  const inputs = inputsWith(difference);
  const outcome = plan(inputs, services);
  return { outcome, log: buildAudit(outcome, inputs) };
}
const answered = () => {
  const [pack] = audit(asking).outcome.questions;
  return audit({ ...asking, answers: [answersTo(pack, { q_param_name_it_name: "blue", q_fact_tests_pass: "true" })] });
};

describe("the audit log", () => {
  it("has every transition, decision, model choice, question, answer and red line of a plan [S4-099, S4-003, S4-068]", () => {
    const { outcome, log } = answered();
    expect(outcome.state).toBe("DONE");
    const of = (type: AuditEntry["event_type"]) => log.filter((entry) => entry.event_type === type);
    expect(of("state_transition")).toHaveLength(outcome.tape.states.length);
    expect(
      of("rule_adjudication").map((e) => "rule_adjudication_record" in e && e.rule_adjudication_record.target),
    ).toEqual(outcome.decisions.map((d) => d.target));
    expect(of("model_selected")).toHaveLength(outcome.tape.model_routing_decisions.length);
    expect(of("question_emitted")).toHaveLength(outcome.questions[0]?.questions.length ?? -1);
    expect(of("answer_received")).toHaveLength(2);
    expect(of("red_line_check").map((e) => "red_line_check_record" in e && e.red_line_check_record.red_line)).toEqual([
      "I1",
      "I2",
      "I3",
      "I4",
    ]);
    expect([log[0]?.event_type, log.at(-1)?.event_type]).toEqual(["run_started", "run_completed"]);
  });

  it.each<[string, Difference]>([
    ["DONE", {}],
    ["AWAITING_ANSWERS", asking],
    ["BLOCKED", { memory: null }],
    ["ABORTED", { registry: (r) => r.rules.push(rule("no_writing", "true", { decision: "deny" })) }],
    ["ABORTED", { document: { shell: 1 } }],
    ["BLOCKED", { document: null }],
  ])("of a plan that ends in %s holds only valid entries, each with an id of its own [S4-099]", (state, difference) => {
    const { outcome, log } = audit(difference);
    expect(outcome.state).toBe(state);
    for (const entry of log) expect(AuditEntry.safeParse(entry).error?.issues).toBeUndefined();
    expect(new Set(log.map((entry) => entry.log_id)).size).toBe(log.length);
    expect(log.filter((entry) => entry.event_type === "run_failed")).toHaveLength(
      state === "BLOCKED" || state === "ABORTED" ? 1 : 0,
    );
  });

  it("says of a breached red line that it ended the plan [S4-099]", () => {
    const { log } = audit({ document: { shell: 1 } });
    expect(log).toContainEqual(
      expect.objectContaining({
        red_line_check_record: expect.objectContaining({
          red_line: "I1",
          passed: false,
          enforcement_action: "abort",
        }) as unknown,
      }),
    );
  });
});
