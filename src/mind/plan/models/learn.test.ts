import { describe, expect, it } from "vitest";
import { CommandHistory, EstimateRatio } from "../../../model/settings/packs.js";
import {
  answersTo,
  command,
  parameter,
  plannedCommand,
  planWith,
  task,
  workbench,
} from "../../../testing/plan-fixtures.js";
import { learn, learnAnswers, learnRatios, type Observation, type TaskObservation } from "./learn.js";
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

const used = (tokens: number | null, minutes: number, difference: Partial<TaskObservation> = {}): TaskObservation => ({
  command_id: "edit_code",
  task_type: "feature",
  estimated: { tokens: 1000, minutes: 10 },
  used: { tokens, minutes },
  ...difference,
});

describe("learnRatios", () => {
  it("takes the median of used ÷ estimated, by command and by type of task [S1-141]", () => {
    const ratios = learnRatios([used(2000, 5), used(2500, 20), used(90_000, 15)]);
    expect(ratios).toEqual([
      { of: "command", name: "edit_code", tokens: 2.5, token_samples: 3, minutes: 1.5, minute_samples: 3 },
      { of: "task_type", name: "feature", tokens: 2.5, token_samples: 3, minutes: 1.5, minute_samples: 3 },
    ]);
    for (const ratio of ratios) expect(EstimateRatio.parse(ratio)).toEqual(ratio);
    expect(learnRatios([used(90_000, 15), used(2000, 5), used(2500, 20)])).toEqual(ratios);
  });

  it("says nothing of what fewer than three tasks have shown", () => {
    expect(learnRatios([used(2000, 5), used(2000, 5)])).toEqual([]);
    const [ratio] = learnRatios([used(null, 20), used(null, 20), used(2000, 20)]);
    expect(ratio).toMatchObject({ tokens: null, token_samples: 1, minutes: 2, minute_samples: 3 });
  });

  it("holds a correction between a quarter and four times", () => {
    const wild = [used(1, 900), used(1, 900), used(1, 900)];
    expect(learnRatios(wild)[0]).toMatchObject({ tokens: 0.25, minutes: 4 });
  });

  it("gives nothing for estimates of nothing", () => {
    const nothing = { estimated: { tokens: 0, minutes: 0 } };
    expect(learnRatios([used(5, 5, nothing), used(5, 5, nothing), used(5, 5, nothing)])).toEqual([]);
  });
});

describe("a plan with what was learnt", () => {
  const three = (tokens: number | null, minutes: number, difference: Partial<TaskObservation> = {}) =>
    learnRatios([1, 2, 3].map(() => used(tokens, minutes, difference)));
  const own = [task("task_own", { command_id: "edit_code", estimate: { tokens: 4000, minutes: 8 } })];
  const nodeOf = (difference: Parameters<typeof planWith>[0]) =>
    planWith(difference).graph?.nodes.flatMap((node) =>
      node.node_type === "action_proposal" && node.command_ref === "edit_code" ? [node.metadata.estimate] : [],
    )[0];

  it("corrects what a task or the registry thought, and keeps what it was before [S1-141, S1-142]", () => {
    const ratios = three(2500, 15);
    expect(nodeOf({ tasks: own })).toMatchObject({ tokens: 4000, minutes: 8, source: "task" });
    expect(nodeOf({ tasks: own, memory: { ratios } })).toMatchObject({
      tokens: 10_000,
      minutes: 12,
      source: "task",
      before_learning: { tokens: 4000, minutes: 8, samples: 3 },
    });
    expect(nodeOf({ memory: { ratios } })).toMatchObject({
      tokens: 25_000,
      minutes: 15,
      source: "registry",
      before_learning: { tokens: 10_000, minutes: 10, samples: 3 },
    });
  });

  it("goes by the type of the task where nothing is known of its command, each type by its own", () => {
    const ratios = [
      ...three(2000, 20, { command_id: "other" }),
      ...three(3000, 30, { command_id: "another", task_type: "docs" }),
    ];
    const tasks = [
      task("task_own", { command_id: "edit_code", type: "feature" }),
      task("task_docs", { command_id: "edit_code", type: "docs" }),
    ];
    const { graph } = planWith({ tasks, memory: { ratios } });
    const tokens = graph?.nodes.flatMap((node) =>
      node.node_type === "action_proposal" && node.metadata.task !== undefined ? [node.metadata.estimate.tokens] : [],
    );
    expect(tokens).toEqual([20_000, 30_000]);
  });

  it("takes what was measured as it is", () => {
    const history = learn([seen(50), seen(50), seen(50)]);
    expect(nodeOf({ memory: { ratios: three(2500, 15), history } })).not.toHaveProperty("before_learning");
  });

  it("corrects nothing by too few tasks, whoever wrote the pack", () => {
    const [ratio] = three(2500, 15);
    const few = ratio === undefined ? [] : [{ ...ratio, token_samples: 2, minute_samples: 2 }];
    expect(nodeOf({ memory: { ratios: few } })).not.toHaveProperty("before_learning");
  });

  it("comes closer: agents that take two and a half times as much are estimated right from the third task on [S1-142]", () => {
    const off = (memory: { ratios?: ReturnType<typeof learnRatios> }) => {
      const tokens = nodeOf({ tasks: own, memory })?.tokens ?? 0;
      return Math.abs(10_000 - tokens) / tokens;
    };
    const taken = used(10_000, 8, { estimated: { tokens: 4000, minutes: 8 } });
    expect(off({})).toBe(1.5);
    expect(off({ ratios: learnRatios([taken, taken, taken]) })).toBe(0);
    // A corrected plan teaches about the uncorrected figure: the correction does not undo itself.
    expect(off({ ratios: learnRatios([taken, taken, taken, taken, taken]) })).toBe(0);
  });
});

describe("learnAnswers", () => {
  const asking = {
    registry: (r: { commands: unknown[] }) => {
      r.commands.push(command("name_it", { parameters: [parameter("name")] }));
    },
    intent: (i: { planned_commands: unknown[] }) => {
      i.planned_commands.push(plannedCommand("name_it"));
    },
  };
  const done = () => {
    const { questions } = planWith(asking);
    return planWith({ ...asking, answers: [answersTo(questions[0], { q_param_name_it_name: "blue" })] });
  };

  it("counts what people answered, and the next plan suggests it [S1-144, S4-103]", () => {
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
  ])("learns nothing from %s: nobody decided it [S1-144]", (_, metadata) => {
    const node = { node_id: "node_q_1", label: "?", node_type: "question" as const, question_ref: "q_abcd", metadata };
    expect(learnAnswers([{ nodes: [node] }])).toEqual([]);
  });
});
