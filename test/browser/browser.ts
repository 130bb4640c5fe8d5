import { spawnSync } from "node:child_process";
import axe from "axe-core";
import { chromium, type BrowserContext, type Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import type { Served } from "../server/served.js";

/* The dashboard in a real browser, as a person sees it. */

const found = spawnSync("sh", ["-c", "command -v chromium || command -v chromium-browser"], { encoding: "utf8" });
const CHROMIUM = found.stdout.trim();

/** Whether there is a browser; `npm run check` installs it where it can. */
export const hasBrowser = CHROMIUM !== "";

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page reported as an error, without refused requests, which tests look at themselves. */
  readonly errors: readonly string[];
}

interface Look {
  readonly width?: number;
  readonly scheme?: "light" | "dark";
}

/** Contract: the page asks nothing of any other host. */
export async function openBrowser({ width = 1280, scheme = "light" }: Look = {}): Promise<OpenedPage> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
  onTestFinished(() => browser.close());
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      errors.push(message.text());
  });
  page.on("request", (request) => {
    if (!/^(?:http:\/\/127\.0\.0\.1[:/]|data:|blob:)/.test(request.url())) errors.push(`asked ${request.url()}`);
  });
  return { page, context, errors };
}

/** Open the one-time link that the server printed. */
export async function openDashboard(served: Served, code: string, options = {}): Promise<OpenedPage> {
  const opened = await openBrowser(options);
  await opened.page.goto(`${served.url}/#login=${code}`);
  await opened.page.getByRole("heading", { name: "Needs you" }).waitFor();
  // A code that stays in the address would stay in the history.
  expect(opened.page.url()).not.toContain("login=");
  return opened;
}

/** The browser is that of the person who started the server. */
export async function addCookie(context: BrowserContext, { cookie, url }: Served): Promise<void> {
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url }]);
}

/** The first page, in a browser of the person who started the server. */
export async function openAs(served: Served): Promise<OpenedPage> {
  const opened = await openBrowser();
  await addCookie(opened.context, served);
  await opened.page.goto(served.url);
  await opened.page.getByRole("heading", { name: "Needs you" }).waitFor();
  return opened;
}

/** What axe finds serious or critical on the page, in a line each. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // Evaluated by the debugging protocol: the page itself allows no inline script.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    // oxlint-disable-next-line typescript/no-explicit-any -- axe was put into the page as text
    const { violations } = await (globalThis as any).axe.run();
    return violations
      .filter(({ impact }: { impact: string }) => impact === "serious" || impact === "critical")
      .map(
        ({ id, nodes }: { id: string; nodes: { target: string[]; failureSummary: string }[] }) =>
          `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(" ")} ${failureSummary}`).join(" | ")}`,
      ) as string[];
  });
}
