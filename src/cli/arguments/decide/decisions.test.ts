import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { addDecisions } from "./decisions.js";

describe("--order of answer", () => {
  const answer = () => {
    const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
    addDecisions(program, async () => undefined);
    const command = program.commands.find((each) => each.name() === "answer");
    if (command === undefined) throw new Error("there is no answer");
    command.exitOverride().configureOutput({ writeErr: () => undefined });
    return { program, command };
  };
  const orderOf = async (order: string) => {
    const { program, command } = answer();
    await program.parseAsync(["answer", "esc_1", "--order", order], { from: "user" });
    return command.opts<{ order?: string }>().order;
  };

  it("takes the old spelling of waive, and does not offer it", async () => {
    expect(await orderOf("waive")).toBe("waive");
    expect(await orderOf("lift")).toBe("waive");
    expect(answer().command.helpInformation()).toContain('"waive"');
    expect(answer().command.helpInformation()).not.toContain("lift");
  });

  it("refuses an order that is not known, with those that are", async () => {
    await expect(orderOf("drop")).rejects.toThrow(/Allowed choices are retry, .*waive/);
  });
});
