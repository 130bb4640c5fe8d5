import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import type { Asked } from "../e2e/asked.js";
import { desk, submitted } from "../server/desk.js";
import { serve, type Served, until } from "../server/served.js";
import { addCookie, endWithFile, hasBrowser, openBrowser } from "./browser.js";

const atEnd = endWithFile();
let project: Asked;
let served: Served;

beforeAll(async () => {
  ensureBuilt();
  project = desk(undefined, {}, { atEnd });
  served = await serve(project, { atEnd });
});

/** A request whose plan waits, and how to take it away again. */
async function asking(): Promise<() => Promise<void>> {
  const { project: id, run, entry } = await submitted(served);
  return async () => {
    const body = { entry_id: entry, decision: { kind: "reject", reason: "not now" } };
    expect((await served.ask(`/projects/${id}/runs/${run}/decisions`, { body })).status).toBe(200);
  };
}

/** Stands in for the desktop: keeps what would be shown, in a page that nobody looks at. */
const DESKTOP = `
  globalThis.shown = [];
  globalThis.Notification = class extends EventTarget {
    static permission = "default";
    static requestPermission() {
      Notification.permission = "granted";
      return Promise.resolve("granted");
    }
    constructor(title, { body }) {
      super();
      globalThis.shown.push(title + ": " + body);
    }
  };
  Object.defineProperty(document, "hidden", { get: () => true });
`;
const shownOn = (page: Page) => page.evaluate<string[]>("globalThis.shown");

describe.skipIf(!hasBrowser)(`what a page says${hasBrowser ? "" : " (left out: there is no chromium)"}`, () => {
  it("while it loads, where something could not be read, and where what it shows may be out of date", async () => {
    const { page, context } = await openBrowser();
    await addCookie(context, served);
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let answer: "held" | "broken" | "right" = "held";
    await page.route("**/api/v1/inbox", async (route) => {
      if (answer === "held") await held;
      if (answer !== "broken") return route.continue();
      const problem = { code: "STORE_FAILED", detail: "The disk is full.", fix: "Make room on it." };
      return route.fulfill({ status: 503, contentType: "application/problem+json", json: problem });
    });
    await page.goto(served.url);
    const inbox = page.getByRole("region", { name: "Needs you" });
    await inbox.getByText("Loading …").waitFor();
    answer = "broken";
    goOn();
    const trouble = inbox.getByRole("alert");
    await trouble.getByText("This could not be shown. The disk is full.").waitFor();
    await trouble.getByText("Make room on it.").waitFor();
    answer = "right";
    await trouble.getByRole("button", { name: "Try again" }).click();
    await inbox.getByText("Nothing waits on you.").waitFor();
    await page.getByText("● live").waitFor();

    answer = "broken";
    const takeAway = await asking();
    await trouble.getByText("This may be out of date. The disk is full.").waitFor();
    await inbox.getByText("Nothing waits on you.").waitFor();
    answer = "right";
    await trouble.getByRole("button", { name: "Try again" }).click();
    await inbox.getByText("May the plan of 1 task be carried out?").waitFor();
    expect(await trouble.count()).toBe(0);
    await takeAway();
    await inbox.getByText("Nothing waits on you.").waitFor();
  }, 240_000);

  it("of a run that somebody ends: first what that does, then the reason, and both are in the log", async () => {
    const { project: id, run } = await submitted(served);
    const { page, context, errors } = await openBrowser();
    await addCookie(context, served);
    await page.goto(`${served.url}/runs/${id}/${run}`);
    await page.getByText("Cancel the run").click();
    const cancelled = async () => (await project.log()).find(({ event }) => event.type === "run_cancelled")?.event;
    expect(await cancelled()).toBeUndefined();
    await page.getByLabel("Reason", { exact: true }).fill("we do it by hand");
    await page.getByRole("button", { name: /^End it for good/ }).click();
    await page.getByText("✕ failed").waitFor();
    expect(await cancelled()).toMatchObject({ reason: "we do it by hand", decider: { by: "ada", via: "dashboard" } });
    expect(await page.getByText("Cancel the run").count()).toBe(0);
    expect(errors).toEqual([]);
  }, 240_000);

  it("is told on the desktop only where somebody has switched that on, once for each entry", async () => {
    const { page, context } = await openBrowser();
    await context.addInitScript(DESKTOP);
    await addCookie(context, served);
    await page.goto(served.url);
    await page.getByText("● live").waitFor();
    const seen = async () => {
      const takeAway = await asking();
      await page.getByText("May the plan of 1 task be carried out?").waitFor();
      await takeAway();
      await page.getByText("Nothing waits on you.").waitFor();
    };
    await seen();
    expect(await shownOn(page)).toEqual([]);
    await page.getByRole("button", { name: "Notify me on this desktop" }).click();
    await page.getByRole("button", { name: /^Desktop notices are on/ }).waitFor();
    await seen();
    const once = ["Coordinator needs you: May the plan of 1 task be carried out?"];
    await until(async () => (await shownOn(page)).length > 0);
    expect(await shownOn(page)).toEqual(once);
    await page.getByRole("button", { name: /^Desktop notices are on/ }).click();
    await seen();
    expect(await shownOn(page)).toEqual(once);
  }, 240_000);
});
