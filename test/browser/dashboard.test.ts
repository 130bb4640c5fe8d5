import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { ASK, approve, desk, standing, submitted } from "../server/desk.js";
import { serve, until } from "../server/served.js";
import { addCookie, hasBrowser, openAs, openBrowser, openDashboard, seriousFaults } from "./browser.js";

beforeAll(ensureBuilt);

const VIEWS = ["tasks", "graph", "timeline", "plan", "changes", "audit", "proof"];

describe.skipIf(!hasBrowser)(
  `the dashboard in a browser${hasBrowser ? "" : " (left out: there is no chromium)"}`,
  () => {
    it("goes from a typed sentence to the merged branch, in the browser alone", async () => {
      const project = desk();
      const served = await serve(project, { cookie: "" });
      const { page, errors } = await openDashboard(served, served.code);
      await page.getByRole("link", { name: "New request" }).click();
      await page.getByLabel("What should be done?").fill(ASK);
      // What intake and routing say is there before anything is sent.
      await page.getByText("Goes to dev").waitFor();
      await page.getByRole("button", { name: "Plan it" }).click();
      await page.getByRole("link", { name: "Open the run and read its plan" }).click();
      await page.getByText("Not approved yet.").waitFor();
      expect(await page.title()).toBe("(1) Coordinator");
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByText("✓ completed").first().waitFor({ timeout: 120_000 });

      await page.getByRole("link", { name: "Proof" }).click();
      await page.getByText("Proven by test").waitFor();
      await page.getByRole("button", { name: "Verify now" }).click();
      await page.getByText("✓ The record holds.").waitFor();
      await page.getByRole("link", { name: "Changes" }).click();
      await page.getByText("+# Reports, documented").waitFor();
      await page.getByRole("button", { name: "Merge into the branch" }).click();
      await page.getByText(/^Merged into/).waitFor();
      expect(project.git("show", "main:README.md")).toBe("# Reports, documented");
      const log = await project.log();
      expect(log.find(({ event }) => event.type === "plan_approved")?.event).toMatchObject({
        decider: { by: "ada", how: "person", via: "dashboard" },
      });
      expect(errors).toEqual([]);
    }, 240_000);

    it("has a question answered in place", async () => {
      const project = desk([{ ask: "Which heading?" }]);
      const served = await serve(project);
      const opened = await submitted(served);
      await approve(served, opened.project, opened.run, opened.entry);
      const { page } = await openAs(served);
      await page.getByRole("heading", { name: "Which heading?" }).waitFor({ timeout: 120_000 });
      await page.getByLabel("Answer").fill("The one that is there");
      await page.getByRole("button", { name: "Answer" }).click();
      await until(async () => {
        const answer = (await project.log()).find(({ event }) => event.type === "question_answered");
        return answer?.event.type === "question_answered" && answer.event.answer === "The one that is there";
      });
    }, 240_000);

    it("has a result without proof accepted, and says so on the page of proofs", async () => {
      const project = desk(undefined, { checks: [{ name: "test", kind: "test", run: "no-such-program" }] });
      const served = await serve(project);
      const opened = await submitted(served);
      await approve(served, opened.project, opened.run, opened.entry);
      const { page, errors } = await openAs(served);
      await page.getByLabel("Note").fill("read by hand");
      await page.getByRole("button", { name: /^Accept as it is/ }).click({ timeout: 120_000 });
      await standing(served, opened.project, opened.run, "completed");
      await page.goto(`${served.url}/runs/${opened.project}/${opened.run}/proof`);
      await page
        .getByText(/accepted without proof by ada: /)
        .first()
        .waitFor();
      expect(errors).toEqual([]);
    }, 240_000);

    it("shows a run that has no budget yet", async () => {
      const served = await serve(desk());
      await submitted(served);
      const { page, errors } = await openBrowser();
      // As a run is before its plan.
      await page.route("**/api/v1/projects/*/runs", async (route) => {
        const response = await route.fetch();
        const json = (await response.json()) as { runs: { spend: object }[] };
        const runs = json.runs.map((run) => ({ ...run, spend: { ...run.spend, budget: null } }));
        await route.fulfill({ response, json: { ...json, runs } });
      });
      await addCookie(page.context(), served);
      await page.goto(`${served.url}/runs`);
      await page.getByRole("cell", { name: "$0", exact: true }).waitFor();
      expect(errors).toEqual([]);
    }, 240_000);

    it("has an entry decided by keyboard alone", async () => {
      const project = desk();
      const served = await serve(project);
      await submitted(served);
      const { page, errors } = await openAs(served);
      await page.getByRole("button", { name: "Approve" }).waitFor();
      const focused = () => page.evaluate<string>("document.activeElement?.textContent?.trim() ?? ''");
      /** Goes on with Tab as somebody without a mouse does, and gives up where a person would. */
      const tabTo = async (name: string) => {
        for (let pressed = 0; pressed < 40; pressed++) {
          await page.keyboard.press("Tab");
          if ((await focused()) === name) return;
        }
        throw new Error(`Tab does not reach ${name}`);
      };
      await tabTo("To the content");
      await page.keyboard.press("Enter");
      // Behind the skip link comes the first entry, and not the menu again.
      await tabTo("Read the plan");
      await page.keyboard.press("Enter");
      await page.getByText("Not approved yet.").waitFor();
      await tabTo("Approve");
      await page.keyboard.press("Space");
      await until(async () => (await project.log()).some(({ event }) => event.type === "plan_approved"));
      expect(errors).toEqual([]);
    }, 240_000);

    it("takes one of two decisions about the same plan, and tells the browser that comes second", async () => {
      const project = desk();
      const served = await serve(project);
      const opened = await submitted(served);
      const first = await openAs(served);
      const second = await openAs(served);
      await second.page.getByLabel("Reason to reject").fill("Not now");
      // The second browser does not hear of the first one's decision before it sends its own.
      await second.page.route("**/api/v1/inbox", (route) => route.abort());
      await first.page.getByRole("button", { name: "Approve" }).click();
      await until(async () => (await served.ask("/inbox")).json.open === 0);
      await second.page.getByRole("button", { name: "Reject" }).click();
      await second.page.getByRole("article").getByRole("alert").filter({ hasText: "decided by ada already" }).waitFor();
      await standing(served, opened.project, opened.run, "completed");
      expect((await project.log()).filter(({ event }) => event.type === "plan_rejected")).toEqual([]);
    }, 240_000);

    it("shows a reader everything and lets them decide nothing", async () => {
      const project = desk();
      const served = await serve(project);
      await submitted(served);
      const added = project.call("--json", "token", "add", "grace", "--role", "reader");
      const [token = ""] = /cot_[\w-]+/.exec(added.stdout) ?? [];
      const { page } = await openBrowser();
      await page.goto(served.url);
      await page.getByLabel("Token").fill("cot_wrong");
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByRole("alert").waitFor();
      await page.getByLabel("Token").fill(token);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByText("an approver decides it").waitFor();
      expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
      expect(await page.getByRole("link", { name: "New request" }).count()).toBe(0);
      project.call("token", "revoke", "grace");
      await page.reload();
      await page.getByLabel("Token").waitFor();
    }, 240_000);

    it("follows again after the server was killed and restarted", async () => {
      const project = desk();
      const served = await serve(project);
      const opened = await submitted(served);
      const { page, context } = await openBrowser();
      await addCookie(context, served);
      await page.goto(served.url);
      await page.getByText("● live").waitFor();
      await served.kill("SIGKILL");
      await page.getByText("○ not connected").waitFor();
      const again = await serve(project, { port: Number(new URL(served.url).port), cookie: served.cookie });
      await page.getByText("● live").waitFor({ timeout: 60_000 });
      await approve(again, opened.project, opened.run, opened.entry);
      await page.getByText("Nothing waits on you.").waitFor();
      await page.getByText("✓ completed").waitFor({ timeout: 120_000 });
    }, 240_000);

    it.each([
      [390, "light"],
      [1280, "dark"],
    ] as const)(
      "has no serious fault for axe and no page wider than %i pixels, %s",
      async (width, scheme) => {
        const served = await serve(desk());
        const { project, run, entry } = await submitted(served);
        const { page, context } = await openBrowser({ width, scheme });
        const look = async (path: string, text: string) => {
          await page.goto(served.url + path);
          await page.getByText(text).first().waitFor();
          expect(await seriousFaults(page), path).toEqual([]);
          expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(width);
        };
        await look("/", "paste a token");
        await addCookie(context, served);
        await look("/", "May the plan of 1 task be carried out?");
        await approve(served, project, run, entry);
        await standing(served, project, run, "completed");
        await look("/", "✓ completed");
        for (const path of ["/runs", "/figures", "/new"]) await look(path, "Inbox");
        for (const view of VIEWS) await look(`/runs/${project}/${run}/${view}`, ASK);
        const { json } = await served.ask(`/projects/${project}/runs/${run}/graph`);
        await look(
          `/runs/${project}/${run}/tasks?task=${encodeURIComponent(json.tasks[0].task_id as string)}`,
          "Attempt 1",
        );
        await look("/nowhere", "There is no such page.");
      },
      240_000,
    );
  },
);
