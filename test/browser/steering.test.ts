import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import type { Asked } from "../e2e/asked.js";
import { approve, ASK, desk, standing, submitted } from "../server/desk.js";
import { logIn, serve, type Served, until } from "../server/served.js";
import { addCookie, endWithFile, hasBrowser, openBrowser, seriousFaults } from "./browser.js";

const atEnd = endWithFile();
let project: Asked;
let served: Served;

beforeAll(async () => {
  ensureBuilt();
  const steps = [
    { say: "I look at the reports first.\n" },
    { usage: { in: 100, out: 20, cost_usd: 0.02 } },
    { sleep: 15_000 },
    { write: "README.md", text: "# Reports, documented\n" },
    { say: "All is documented.\n" },
  ];
  project = desk(steps, {}, { atEnd });
  served = await serve(project, { atEnd });
});

describe.skipIf(!hasBrowser)(`steering in the browser${hasBrowser ? "" : " (left out: there is no chromium)"}`, () => {
  it("raises a budget before its limit and follows what the agent says; a reader is not offered to raise it", async () => {
    const { project: id, run, entry } = await submitted(served);
    const { page, context, errors } = await openBrowser();
    await addCookie(context, served);
    await page.goto(`${served.url}/runs/${id}/${run}`);
    const gauge = page.getByRole("group", { name: "Budget" });
    await gauge.getByText("Allow more").click();
    const raise = gauge.getByRole("button", { name: /^Raise the budget/ });
    expect(await raise.isDisabled()).toBe(true);
    await gauge.getByLabel("New limit in US dollars").fill("1234");
    await gauge.getByLabel("Why").fill("more to write");
    expect(await seriousFaults(page)).toEqual([]);
    await raise.click();
    await gauge.getByText("The budget is raised.").waitFor();
    await gauge.getByText("of $1,234").waitFor();
    const raised = (await project.log()).findLast(({ event }) => event.type === "budget_raised");
    expect(raised?.event).toMatchObject({ decider: { by: "ada", via: "dashboard" }, limits: { cost_usd: 1234 } });

    const reader = await openBrowser();
    const secret = project.json("token", "add", "rosa")["secret"] as string;
    await addCookie(reader.context, { ...served, cookie: await logIn(served.api, secret) });
    await reader.page.goto(`${served.url}/runs/${id}/${run}`);
    await reader.page.getByText("of $1,234").waitFor();
    expect(await reader.page.getByText("Allow more").count()).toBe(0);

    // The page is there before the agent begins: however slow the machine, it is opened while the agent works.
    const { tasks } = (await served.ask(`/projects/${id}/runs/${run}/graph`)).json as { tasks: { task_id: string }[] };
    await page.goto(`${served.url}/runs/${id}/${run}/tasks?task=${encodeURIComponent(tasks[0]?.task_id ?? "")}`);
    await approve(served, id, run, entry);
    await page.getByText("Output of the agent, attempt 1").click();
    const output = page.getByRole("log", { name: "Output of the agent" });
    await output.getByText("I look at the reports first.").waitFor();
    // Read while the agent still worked, and what it says later comes without a new visit.
    await page.getByText("▶ The agent works; this is followed.").waitFor();
    // Its cost counts while it works, in the gauge and for the task.
    await gauge.getByText("$0.02 of $1,234").waitFor();
    await page
      .getByRole("complementary")
      .getByText(/^\$0\.02 of about /)
      .waitFor();
    await output.getByText("All is documented.").waitFor();
    await page.getByText("■ The agent has ended.").waitFor();
    expect(await output.getByText("I look at the reports first.").count()).toBe(1);
    expect(await output.getByText("README.md").count()).toBeGreaterThan(0);
    await page.getByLabel("Search the output").fill("DOCUMENTED");
    await output.getByText("I look at the reports first.").waitFor({ state: "detached" });
    expect(await output.getByText("All is documented.").count()).toBe(1);
    await page.getByLabel("Search the output").fill("nowhere to be found");
    await page.getByText("Nothing of it has these words.").waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await standing(served, id, run, "completed");
    await gauge.getByText("Allow more").waitFor({ state: "detached" });
    expect([...errors, ...reader.errors]).toEqual([]);
  }, 240_000);

  it("compares a plan with an earlier one of the same request, field by field", async () => {
    const earlier = await submitted(served);
    const { request_id } = (
      await served.ask(`/projects/${earlier.project}/requests`, {
        body: { text: ASK, type: "technical", preferences: { max_budget_tokens: 40_000 } },
      })
    ).json as { request_id: string };
    const later = await until(async () => {
      const { json } = await served.ask(`/projects/${earlier.project}/requests/${request_id}`);
      return json.state === "ended" ? (json as { run_id: string }).run_id : null;
    });
    const { page, context, errors } = await openBrowser();
    await addCookie(context, served);
    await page.goto(`${served.url}/runs/${earlier.project}/${later}/plan`);
    await page.getByRole("heading", { name: "Other plans for the same request" }).waitFor();
    await page.getByLabel("Compare with").selectOption(earlier.run);
    const table = page.getByRole("table").filter({ hasText: "Difference" });
    await table.waitFor();
    const rows = await table.getByRole("row").allTextContents();
    const { changed } = (
      await served.ask(`/projects/${earlier.project}/runs/${later}/plan/difference?with=${earlier.run}`)
    ).json as { changed: { task_id: string; fields: { name: string }[] }[] };
    const fields = changed.flatMap(({ fields: each }) => each.map(({ name }) => name.replaceAll("_", " ")));
    expect(fields.length).toBeGreaterThan(0);
    expect(rows).toHaveLength(fields.length + 1);
    for (const name of fields)
      expect(
        rows.some((row) => row.includes(`~ ${name}`)),
        name,
      ).toBe(true);
    expect(await seriousFaults(page)).toEqual([]);
    // With itself as the measure, nothing is different.
    const same = await submitted(served);
    await page.goto(`${served.url}/runs/${earlier.project}/${same.run}/plan`);
    await page.getByLabel("Compare with").selectOption(earlier.run);
    await page.getByText("The tasks are the same.").waitFor();
    expect(errors).toEqual([]);
  }, 240_000);
});
