import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { approve, desk, standing, submitted } from "./desk.js";
import { send, serve } from "./served.js";

beforeAll(ensureBuilt);

describe("raising a budget over HTTP and by the command", () => {
  it("binds with who and how; a reader, a lower limit, both forms at once and an ended run are refused", async () => {
    const project = desk();
    const served = await serve(project);
    const { project: id, run, entry } = await submitted(served);
    const path = `/projects/${id}/runs/${run}`;
    const { budget, used } = (await served.ask(path)).json.spend;
    const reader = project.json("token", "add", "rosa")["secret"] as string;
    const asReader = await send(`${served.api}${path}/budget`, {
      headers: { authorization: `Bearer ${reader}` },
      body: { add: { cost_usd: 5 } },
    });
    expect([asReader.status, asReader.json.code]).toEqual([403, "ROLE_REFUSED"]);

    const raise = (body: unknown) => served.ask(`${path}/budget`, { body });
    const lower = await raise({ to: { tokens: budget.tokens - 1 } });
    expect([lower.status, lower.json.code]).toEqual([409, "DECISION_REFUSED"]);
    expect(lower.json.detail).toContain(`is not more than the budget of ${budget.tokens}`);
    for (const body of [
      {},
      { add: {} },
      { add: { tokens: -1 } },
      { add: { money: 5 } },
      { add: { tokens: 1 }, to: { tokens: 1 } },
    ]) {
      const { status, json } = await raise(body);
      expect([400, 422], JSON.stringify(body)).toContain(status);
      expect(json).toMatchObject({ detail: expect.any(String) as unknown, fix: expect.any(String) as unknown });
    }
    expect(
      (await served.ask(`/projects/${id}/runs/run_of_nobody/budget`, { body: { add: { tokens: 1 } } })).status,
    ).toBe(404);
    expect((await served.ask(path)).json.spend.budget).toEqual(budget);

    const taken = await raise({ add: { cost_usd: 5 }, note: "it is larger than thought" });
    expect([taken.status, taken.json.decided], taken.text).toEqual([200, "budget raised"]);
    const typed = project.json("budget", run, "--to", `tokens=${budget.tokens + 1000}`, "--by", "grace");
    expect(typed).toMatchObject({ type: "decision", status: "taken", by: "grace" });
    const spend = (await served.ask(path)).json.spend;
    expect(spend).toMatchObject({ used, budget: { tokens: budget.tokens + 1000, cost_usd: budget.cost_usd + 5 } });
    const log = await project.log();
    const raised = log.flatMap(({ event }) => (event.type === "budget_raised" ? [event] : []));
    expect(raised).toMatchObject([
      { decider: { by: "ada", how: "person", via: "dashboard" }, note: "it is larger than thought" },
      { decider: { by: "grace", how: "person", via: "command" }, limits: { tokens: budget.tokens + 1000 } },
    ]);

    await approve(served, id, run, entry);
    await standing(served, id, run, "completed");
    const late = await raise({ add: { tokens: 1000 } });
    expect([late.status, late.json.detail]).toEqual([409, expect.stringContaining("the run is over")]);
  }, 180_000);
});
