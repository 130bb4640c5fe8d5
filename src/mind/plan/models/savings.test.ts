import { describe, expect, it } from "vitest";
import { command, type Difference, planWith } from "../../../testing/plan-fixtures.js";

const cheaper = (entry: Parameters<typeof command>[1] = {}): Difference => ({
  registry: (r) => {
    r.commands.push(command("edit_less", { estimate: { tokens_in: 2000, tokens_out: 500, minutes: 2 }, ...entry }));
    for (const c of r.commands) if (c.id === "edit_code") c.equivalents = ["edit_less", "not_there"];
  },
});

describe("savings", () => {
  it("suggests an equivalent command that costs less, and changes nothing itself [S4-102]", () => {
    const out = planWith(cheaper());
    expect(out.review?.savings).toEqual([
      {
        node: "node_action_edit_code",
        instead_of: "edit_code",
        use: "edit_less",
        saves_usd: 0.0135,
        why: "Title of edit_less reaches the same end with about 25 % of the tokens.",
      },
    ]);
    expect(out.graph?.nodes.some((n) => n.node_type === "action_proposal" && n.command_ref === "edit_less")).toBe(
      false,
    );
  });

  it.each([
    ["is dearer", { estimate: { tokens_in: 90_000, tokens_out: 500, minutes: 2 } }],
    ["is not active", { status: "deprecated" as const }],
  ])("does not suggest one that %s", (_, entry) => {
    expect(planWith(cheaper(entry)).review?.savings).toEqual([]);
  });
});
