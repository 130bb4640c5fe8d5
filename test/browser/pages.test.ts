import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { carryOutRun, FILE, openRun, realProject, realTask, RUN } from "../run/real-run.js";
import { ASK, approve, desk, standing, submitted } from "../server/desk.js";
import { serve } from "../server/served.js";
import { addCookie, hasBrowser, openBrowser, type OpenedPage, seriousFaults } from "./browser.js";

beforeAll(ensureBuilt);

const VIEWS = ["tasks", "graph", "timeline", "plan", "changes", "conflicts", "audit", "proof", "handoff"];
const WIDTHS = [390, 1280, 1920];
const SCHEMES = ["light", "dark"] as const;

/** Every size and both forms of the page that is open: nothing serious for axe, and nothing wider than the page. */
async function lookAt(page: Page, what: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      // Only colours differ between the forms.
      const rules = colorScheme === "light" ? [] : ["color-contrast"];
      expect(await seriousFaults(page, rules), `${what}, ${width}, ${colorScheme}`).toEqual([]);
    }
    expect(await page.evaluate("document.documentElement.scrollWidth"), `${what}, ${width}`).toBeLessThanOrEqual(width);
  }
}

/** Goes to an address and looks at it once it shows a text. */
const looker =
  ({ page }: OpenedPage, url: string) =>
  async (path: string, text: string) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(url + path);
    await page.getByText(text).first().waitFor();
    await lookAt(page, path);
  };

describe.skipIf(!hasBrowser)(`pages in the browser${hasBrowser ? "" : " (left out: there is no chromium)"}`, () => {
  it("have no serious fault for axe and fit their width, in light and dark", async () => {
    const served = await serve(desk());
    const opened = await openBrowser();
    const { context, page, errors } = opened;
    const look = looker(opened, served.url);
    await look("/", "paste a token");
    await addCookie(context, served);
    await look("/", "Nothing waits on you.");
    const { project, run, entry } = await submitted(served);
    await submitted(served);
    await look("/", "Select all");
    await look(`/runs/${project}/${run}/graph`, "Lanes by agent");
    await approve(served, project, run, entry);
    await standing(served, project, run, "completed");
    await look("/", "✓ completed");
    for (const path of ["/runs", "/figures", "/new"]) await look(path, "Inbox");
    for (const view of VIEWS) await look(`/runs/${project}/${run}/${view}`, ASK);
    const { json } = await served.ask(`/projects/${project}/runs/${run}/graph`);
    const task = encodeURIComponent(json.tasks[0].task_id as string);
    await look(`/runs/${project}/${run}/tasks?task=${task}`, "Attempt 1");
    await page.getByText("Checks against the baseline").waitFor();
    await page.getByText(/uses? of tools, each judged/).waitFor();
    await page.getByText("What the agent was given").click();
    await page.getByRole("heading", { name: "Withheld" }).waitFor();
    await look("/nowhere", "There is no such page.");
    await look(`/runs/${project}/run_of_nobody`, "This could not be shown.");
    expect(errors).toEqual([]);
  }, 240_000);

  it("show a conflict with its base, both sides and its result", async () => {
    const builder = (title: string, line: string) => ({
      prompt_has: `Your task: ${title}`,
      steps: [{ write: FILE, text: `alpha\n${line}\nomega\n` }, { say: "done" }],
    });
    const answer = { review_summary: "Both.", fixes_applied: ["kept both"], left_out: [], warnings_for_next_level: [] };
    const project = realProject([
      builder("Name the fruit", "fruit: apple"),
      builder("Name the trees", "tree: beech"),
      {
        prompt_has: "You are a Level Coordinator",
        steps: [{ write: FILE, text: "alpha\nfruit: apple\ntree: beech\nomega\n" }, { answer }],
      },
    ]);
    const { status } = await carryOutRun(project, [realTask("T1", "Name the fruit"), realTask("T2", "Name the trees")]);
    expect(status).toBe("completed");
    const served = await serve({ cwd: project.root, env: { ...project.env } });
    const opened = await openBrowser();
    const { page, context, errors } = opened;
    await addCookie(context, served);
    const [{ id }] = (await served.ask("/projects")).json.projects as [{ id: string }];
    await page.goto(`${served.url}/runs/${id}/${RUN}/conflicts`);
    const side = (name: string) => page.getByRole("figure").filter({ hasText: new RegExp(`^${name}`) });
    await side("Result").getByText("+fruit: apple").waitFor();
    await side("Result").getByText("+tree: beech").waitFor();
    expect(await side("Base").getByText("+").count()).toBe(0);
    const added = await Promise.all(["Branch", "Task"].map((name) => side(name).locator(".added").allTextContents()));
    expect(added.flat().toSorted()).toEqual(["+fruit: apple", "+tree: beech"]);
    await lookAt(page, "conflict");
    expect(errors).toEqual([]);
  }, 240_000);

  it("show a large graph as groups that open and close, drawn by the layout kernel, with the timeline below", async () => {
    const project = realProject([]);
    const tasks = Array.from({ length: 300 }, (_, i) =>
      realTask(`T${i}`, `Change part ${i}`, {
        dependencies: i < 10 ? [] : [`T${i - 10}`],
        files: [`src/part${i % 10}/file${i}.ts`],
      }),
    );
    await openRun(project, tasks, { plan_needs_approval: true });
    const served = await serve({ cwd: project.root, env: { ...project.env } });
    const { page, context, errors } = await openBrowser();
    const warnings: string[] = [];
    page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
    await addCookie(context, served);
    const [{ id }] = (await served.ask("/projects")).json.projects as [{ id: string }];
    const worker = page.waitForEvent("worker");
    await page.goto(`${served.url}/runs/${id}/${RUN}/graph`);
    expect((await worker).url()).toContain("/assets/elk-worker");
    // Thirty tasks build on one another.
    await page.getByText(/Critical path: about \d+ min left through 30 tasks: T\d+ → /).waitFor();
    const picture = page.locator(".graph");
    const group = picture.getByRole("button", { name: "▸ src/part3 0 of 30 done" });
    await group.waitFor();
    expect(await picture.getByRole("button", { name: /Change part/ }).count()).toBe(0);
    await group.click();
    await page.getByRole("button", { name: "Change part 3 pending" }).first().waitFor();
    await page.getByRole("button", { name: "▾ src/part3 0 of 30 done" }).click();
    await group.waitFor();
    await page.getByLabel("Lanes by agent").check();
    await page.getByText("scripted", { exact: true }).first().waitFor();
    // The selection of the timeline is that of the graph.
    await page
      .getByRole("group", { name: "Timeline" })
      .getByRole("link", { name: "Change part 1", exact: true })
      .click();
    await page.getByRole("complementary", { name: "Task T1" }).waitFor();
    expect([...errors, ...warnings]).toEqual([]);
  }, 240_000);

  it("show on its card why a review is asked for, and by which rule each task of a plan is allowed", async () => {
    const served = await serve(desk());
    const { project, run, entry } = await submitted(served);
    const { page, errors } = await openBrowser();
    await addCookie(page.context(), served);
    await page.goto(served.url);
    await page
      .getByRole("article")
      .getByText(/allow by rule \w+/)
      .waitFor();
    // As if a rule had asked for a review.
    const because = "data_changes asks for it: stored data is changed";
    await page.route("**/api/v1/inbox", async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { entries: object[] };
      const entries = json.entries.map((one) => ({ ...one, kind: "review", guards: ["T1"], reviewers: ["dba"] }));
      await route.fulfill({ response, json: { ...json, entries } });
    });
    await page.route(`**/runs/${run}/plan`, async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { review: object };
      const required_reviews = [{ category: "data", gate: entry, reviewers: ["dba"], because: [because] }];
      await route.fulfill({ response, json: { ...json, review: { ...json.review, required_reviews } } });
    });
    await page.goto(`${served.url}/runs/${project}/${run}/tasks`);
    await page.getByText("These tasks wait for it: T1.").waitFor();
    await page.getByText(because).waitFor();
    await page.getByText("Decided as dba.").waitFor();
    expect(errors).toEqual([]);
  }, 240_000);

  it("show a run that has no budget yet, and say that the server could not work on one", async () => {
    const served = await serve(desk());
    const { project, run } = await submitted(served);
    const { page, errors } = await openBrowser();
    const trouble = { code: "SANDBOX_UNAVAILABLE", message: "There is no sandbox here.", fix: "Install bubblewrap." };
    await page.route("**/api/v1/projects/*/runs/*", async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { spend: object };
      await route.fulfill({ response, json: { ...json, spend: { ...json.spend, budget: null }, trouble } });
    });
    await addCookie(page.context(), served);
    await page.goto(`${served.url}/runs/${project}/${run}`);
    await page.getByText("There is no sandbox here.").waitFor();
    expect(await page.getByRole("group", { name: "Budget" }).count()).toBe(0);
    expect(errors).toEqual([]);
  }, 240_000);
});
