import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { ASK, approve, desk, standing, submitted } from "../server/desk.js";
import { serve, until } from "../server/served.js";
import { addCookie, hasBrowser, openAs, openBrowser, openDashboard } from "./browser.js";

beforeAll(ensureBuilt);

describe.skipIf(!hasBrowser)(`a run in the browser${hasBrowser ? "" : " (left out: there is no chromium)"}`, () => {
  it("goes from a typed sentence to the merged branch, in the browser alone", async () => {
    const project = desk(undefined, { board: {} });
    const served = await serve(project, { cookie: "" });
    const { page, errors } = await openDashboard(served, served.code);
    await page.getByRole("link", { name: "New request" }).click();
    await page.getByLabel("What should be done?").fill(ASK);
    // What intake and routing say is there before anything is sent.
    await page.getByText("Goes to dev").waitFor();
    await page.getByRole("button", { name: "Plan it" }).click();
    await page.getByRole("link", { name: "Open the run and read its plan" }).click();
    await page.getByText("Not approved yet.").waitFor();
    await page.getByText("by rule").first().waitFor();
    expect(await page.title()).toBe("(1) Coordinator");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("✓ completed").first().waitFor({ timeout: 120_000 });

    for (const [view, hidden] of [
      ["Tasks", "No task is left to show."],
      ["Graph", "Every task is finished."],
    ] as const) {
      await page.getByRole("link", { name: view, exact: true }).click();
      await page.getByLabel("Hide finished").check();
      await page.getByText(hidden).waitFor();
    }

    await page.getByRole("link", { name: "Proof" }).click();
    await page.getByText("Proven by test").waitFor();
    await page.getByRole("button", { name: "Verify now" }).click();
    await page.getByText("✓ The record holds.").waitFor();
    await page.getByRole("link", { name: "Changes" }).click();
    await page.getByText("+# Reports, documented").waitFor();
    await page.getByRole("button", { name: "Merge into the branch" }).click();
    await page.getByText("✓ Merged into").waitFor();
    expect(project.git("show", "main:README.md")).toBe("# Reports, documented");
    const log = await project.log();
    expect(log.find(({ event }) => event.type === "plan_approved")?.event).toMatchObject({
      decider: { by: "ada", how: "person", via: "dashboard" },
    });

    await page.getByRole("link", { name: "Audit" }).click();
    await page.getByLabel("Kind").selectOption("Plan and approval");
    await page.getByText("by ada, in the dashboard").first().waitFor();
    expect(await page.getByText("attempt 1").count()).toBe(0);

    // What the next session needs is written, and somebody says that they have read it.
    await page.getByRole("link", { name: "Handoff" }).click();
    await page.getByRole("button", { name: "Write a handoff now" }).click();
    await page.getByRole("button", { name: "I have read it" }).click();
    await page.getByText("by ada,").waitFor();
    await page.getByText("# Session Handoff").waitFor();

    await page.getByRole("link", { name: "Figures" }).click();
    await page.getByRole("img", { name: /^Cost by day/ }).waitFor();
    await page.getByRole("cell", { name: "$0.0010" }).first().waitFor();
    expect(errors).toEqual([]);
  }, 240_000);

  it("follows again after the server was killed and restarted, and a result without proof is waived", async () => {
    const project = desk(undefined, { checks: [{ name: "test", kind: "test", run: "no-such-program" }] });
    const served = await serve(project);
    const opened = await submitted(served);
    const { page, errors } = await openAs(served);
    await page.getByText("● live").waitFor();
    await served.kill("SIGKILL");
    await page.getByText("○ not connected").waitFor();
    await page.getByText("Not connected to the server.").waitFor();
    // What was read last is still there to be read.
    await page.getByText("May the plan of 1 task be carried out?").waitFor();
    const again = await serve(project, { port: Number(new URL(served.url).port), cookie: served.cookie });
    await page.getByText("● live").waitFor({ timeout: 60_000 });
    expect(await page.getByText("Not connected to the server.").count()).toBe(0);
    await approve(again, opened.project, opened.run, opened.entry);

    // The page hears of what happens behind the new server without being loaded again.
    await page.getByLabel("Note").fill("read by hand", { timeout: 120_000 });
    await page.getByRole("button", { name: /^Accept as it is/ }).click();
    await standing(again, opened.project, opened.run, "completed");
    await page.getByText("✓ completed").waitFor();
    await page.goto(`${again.url}/runs/${opened.project}/${opened.run}/proof`);
    await page
      .getByText(/accepted without proof by ada: /)
      .first()
      .waitFor();
    expect(errors.filter((error) => !error.includes("ERR_CONNECTION_REFUSED"))).toEqual([]);
  }, 240_000);

  it("has a question answered in place", async () => {
    const project = desk([{ ask: "Which heading?" }]);
    const served = await serve(project);
    const opened = await submitted(served);
    await approve(served, opened.project, opened.run, opened.entry);
    const { page } = await openBrowser();
    await addCookie(page.context(), served);
    await page.goto(served.url);
    await page.getByRole("heading", { name: "Which heading?" }).waitFor({ timeout: 120_000 });
    await page.getByLabel("Answer").fill("The one that is there");
    await page.getByRole("button", { name: "Answer" }).click();
    await until(async () => {
      const answer = (await project.log()).find(({ event }) => event.type === "question_answered");
      return answer?.event.type === "question_answered" && answer.event.answer === "The one that is there";
    });
  }, 240_000);
});
