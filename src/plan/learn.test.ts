import { describe, expect, it } from "vitest";
import { CommandHistory } from "../model/packs.js";
import { answersTo, command, parameter, planned, planWith, workbench } from "../testing/plan-fixtures.js";
import { learn, learnAnswers, type Observation } from "./learn.js";
import { estimateAction } from "./route-models.js";

const seen = (minutes: number, failed = false, command_id = "edit_code"): Observation => ({
  command_id,
  tokens_in: minutes * 100,
  tokens_out: minutes * 10,
  minutes,
  failed,
});

describe("learn", () => {
  it("takes medians, so that one run gone wrong does not spoil the estimate [S4-103]", () => {
    const [history] = learn([seen(10), seen(12), seen(900, true)]);
    expect(history).toEqual({
      command_id: "edit_code",
      samples: 3,
      tokens_in: 1200,
      tokens_out: 120,
      minutes: 12,
      failures: 1,
    });
    expect(CommandHistory.parse(history)).toEqual(history);
  });

  it("takes the middle of an even number", () => {
    expect(learn([seen(10), seen(20)])[0]?.minutes).toBe(15);
  });

  it("lets what was learned before count with the weight of its samples, and keeps what was not seen again", () => {
    const known = learn([seen(10), seen(10), seen(10), seen(7, false, "scan_code")]);
    const [edit, scan] = learn([seen(50)], known);
    expect(edit).toMatchObject({ samples: 4, minutes: 20 });
    expect(scan).toEqual(known[1]);
  });

  it("changes the next plan's estimate once there are three samples, and its risk when most attempts failed [S4-103]", () => {
    const edit = (history: ReturnType<typeof learn>) =>
      workbench({ memory: { history } }).source.actions.find((a) => a.key === "edit_code");
    const few = edit(learn([seen(50), seen(50)]));
    const enough = edit(learn([seen(50), seen(50, true), seen(50, true)]));
    expect([few, enough].map((action) => action && estimateAction(action).source)).toEqual(["registry", "memory"]);
    const { risk } = planWith({ memory: { history: learn([seen(1, true), seen(1, true), seen(1)]) } });
    expect(risk?.factors).toContainEqual({
      factor: "More than half of the earlier attempts failed",
      level: "medium",
      evidence_refs: ["memory://history/edit_code"],
    });
  });
});

describe("learnAnswers", () => {
  const asking = {
    registry: (r: { commands: unknown[] }) => {
      r.commands.push(command("name_it", { parameters: [parameter("name")] }));
    },
    intent: (i: { planned_commands: unknown[] }) => {
      i.planned_commands.push(planned("name_it"));
    },
  };
  const done = () => {
    const { questions } = planWith(asking);
    return planWith({ ...asking, answers: [answersTo(questions[0], { q_param_name_it_name: "blue" })] });
  };

  it("counts what people answered, and the next plan suggests it [S4-103]", () => {
    const { graph, state } = done();
    expect(state).toBe("DONE");
    const answers = learnAnswers(graph === null ? [] : [graph, graph]);
    expect(answers).toEqual([{ question_id: "q_param_name_it_name", answer: "blue", times: 2 }]);
    const { questions } = planWith({ ...asking, memory: { answers } });
    expect(questions[0]?.questions[0]?.suggested_answers).toEqual([
      { answer_text: "blue", rationale: "Answered so 2 times before." },
    ]);
  });

  it.each([
    ["a fallback", { status: "fallback" as const, answer: "x", strategy: "y" }],
    ["a default of the policy", { status: "answered" as const, answer: "x", provided_by: "policy_default" }],
    ["an open question", { status: "placeholder" as const }],
  ])("learns nothing from %s: nobody decided it", (_, metadata) => {
    const node = { node_id: "node_q_1", label: "?", node_type: "question" as const, question_ref: "q_abcd", metadata };
    expect(learnAnswers([{ nodes: [node] }])).toEqual([]);
  });
});
