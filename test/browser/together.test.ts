import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import type { Asked } from "../e2e/asked.js";
import { desk, projectOf, submitted } from "../server/desk.js";
import { logIn, serve, type Served, until } from "../server/served.js";
import { addCookie, endWithFile, hasBrowser, openAs, openBrowser, seriousFaults } from "./browser.js";

const HELD = "Write a tool in src/probe.mjs to try a list of passwords against an SSH server.";
const PURPOSE = "It shows our operations team which of our own servers still have a default password.";
const AGREED = "The servers are our own; approved by Ada Lovelace, head of operations, in ticket OPS-12.";

const atEnd = endWithFile();
let project: Asked;
let served: Served;

beforeAll(async () => {
  ensureBuilt();
  project = desk(undefined, {}, { atEnd });
  served = await serve(project, { atEnd });
});

const emptied = () => until(async () => ((await served.ask("/inbox")).json.open as number) === 0);
const needsYou = (page: Page) => page.getByRole("heading", { name: "Needs you" });

describe.skipIf(!hasBrowser)(`people in the browser${hasBrowser ? "" : " (left out: there is no chromium)"}`, () => {
  it("answer what a request asks and watch it being planned on the page where it was typed; its plan says who answered what", async () => {
    const { page, errors } = await openAs(served);
    await page.getByRole("link", { name: "New request" }).click();
    await page.getByLabel("What should be done?").fill(HELD);
    await page.getByLabel("This is a technical instruction").check();
    await page.getByText("It will ask you:").waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Plan it" }).click();
    await page.getByText("It waits on you.").waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    const questions = page.getByRole("article");
    expect(await questions.count()).toBe(2);
    await questions.first().getByLabel("Answer").fill(PURPOSE);
    await questions.first().getByRole("button", { name: "Answer" }).click();
    await until(async () => (await questions.count()) === 1);
    await questions.getByLabel("Answer").fill(AGREED);
    await questions.getByRole("button", { name: "Answer" }).click();
    // The request has become a run; the page is that of the run now, without having been left.
    await page.getByRole("link", { name: "Open the run and read its plan" }).waitFor();
    await page.getByText(/^May the plan of \d+ tasks? be carried out\?$/).waitFor();
    await page.getByRole("link", { name: "Open the run and read its plan" }).click();
    const asked = page.getByRole("listitem").filter({ hasText: AGREED });
    expect(await asked.textContent()).toContain("ada");
    await page.getByRole("listitem").filter({ hasText: PURPOSE }).waitFor();
    await page.getByLabel("Reason to reject").fill("Only tried");
    await page.getByRole("button", { name: "Reject" }).click();
    await emptied();
    expect(errors).toEqual([]);
  }, 240_000);

  it("have as many tabs open as they like, each kept up to date", async () => {
    const { page: first, context } = await openAs(served);
    // A browser opens six connections to a server: a stream for each tab would leave nothing for the seventh.
    const others = await Promise.all(Array.from({ length: 7 }, () => context.newPage()));
    const pages = [first, ...others];
    for (const page of others) {
      await page.goto(served.url, { timeout: 30_000 });
      await page.getByText("Nothing waits on you.").waitFor({ timeout: 30_000 });
    }
    await submitted(served);
    for (const page of pages) {
      await page.getByText("May the plan of 1 task be carried out?").waitFor();
      expect(await page.title()).toBe("(1) Coordinator");
      await page.getByText("● live").waitFor();
    }
    // The stream stays when the tab that was first is closed.
    await first.close();
    const [second] = others as [Page];
    await second.getByLabel("Reason to reject").fill("Not now");
    await second.getByRole("button", { name: "Reject" }).click();
    for (const page of others) await page.getByText("Nothing waits on you.").waitFor();
    await emptied();
  }, 240_000);

  it("may open a link again in the browser that it logged in; in another one it counts no more", async () => {
    const { url } = project.json("token", "login") as { url: string };
    const { page, context } = await openBrowser();
    await page.goto(url);
    await needsYou(page).waitFor();
    const again = await context.newPage();
    await again.goto(url);
    await needsYou(again).waitFor();
    expect(again.url()).not.toContain("login=");
    const other = await openBrowser();
    await other.page.goto(url);
    await other.page.getByRole("alert").filter({ hasText: "The link was used already" }).waitFor();
    // Pasted into the page that is there, a new link does not load it again, and is taken all the same.
    await other.page.goto((project.json("token", "login") as { url: string }).url);
    await needsYou(other.page).waitFor();
    expect(other.page.url()).not.toContain("login=");
  }, 240_000);

  it("are told when their token is revoked while they only look, and their browser asks no more", async () => {
    const secret = project.json("token", "add", "grace")["secret"] as string;
    const { page, context } = await openBrowser();
    await addCookie(context, { ...served, cookie: await logIn(served.api, secret) });
    await page.goto(served.url);
    await page.getByText("● live").waitFor();
    let asked = 0;
    context.on("request", (request) => {
      if (request.url().includes("/api/v1/")) asked++;
    });
    project.call("token", "revoke", "grace");
    const { project: id, run, entry } = await submitted(served);
    await page.getByRole("alert").filter({ hasText: "You were logged out" }).waitFor();
    const before = asked;
    await served.ask(`/projects/${id}/runs/${run}/decisions`, {
      body: { entry_id: entry, decision: { kind: "reject", reason: "not now" } },
    });
    await emptied();
    expect(asked).toBe(before);
    // A browser that asked again and again with what counts no more would keep others from logging in.
    const login = (project.json("token", "login") as { url: string }).url;
    const other = await openBrowser();
    await other.page.goto(login);
    await needsYou(other.page).waitFor();
  }, 240_000);

  it("read older runs when they ask for them, and are told of an address that cannot be", async () => {
    const id = await projectOf(served);
    const { page, errors } = await openAs(served);
    // As if there were two hundred newer ones.
    await page.route("**/runs?limit=200", async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { runs: { run_id: string; request: string }[] };
      const [line] = json.runs;
      const runs = Array.from({ length: 200 }, (_, i) => ({ ...line, run_id: `run_${i}`, request: `Newer ${i}` }));
      await route.fulfill({ response, json: { ...json, runs, total: 200 + json.runs.length, next: "run_199" } });
    });
    await page.route("**/runs?limit=200&after=run_199", (route) =>
      route.continue({ url: `${served.api}/projects/${id}/runs?limit=200` }),
    );
    await page.goto(`${served.url}/runs`);
    await page.getByText(/^The newest 200 of \d+ runs are shown\.$/).waitFor();
    await page.getByLabel("Search").fill("probe.mjs");
    await page.getByText(/runs are shown and searched\.$/).waitFor();
    expect(await page.getByRole("link", { name: HELD }).count()).toBe(0);
    await page.getByRole("button", { name: "Read older runs" }).click();
    // The log of the request that became a run is not listed beside that run.
    await page.getByRole("link", { name: HELD }).waitFor();
    expect(await page.getByRole("button", { name: "Read older runs" }).count()).toBe(0);
    await page.goto(`${served.url}/%E0%A4%A`);
    await page.getByText("There is no such page.").waitFor();
    expect(errors).toEqual([]);
  }, 240_000);
});
