// `npm run screenshots`: the pictures of the dashboard in docs/images, taken in Chromium of the run that the quickstart tells.
// `-- --out DIR` writes them elsewhere; `-- --all` also takes every page at 390, 1280 and 1920 pixels, light and dark.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { prepareFirstRun, SENTENCE } from "../examples/first-run/prepare.mjs";
import { root } from "./steps.mjs";

const args = process.argv.slice(2);
const given = args.indexOf("--out");
const out = given < 0 ? join(root, "docs", "images") : resolve(args[given + 1] ?? ".");
mkdirSync(out, { recursive: true });

const told = prepareFirstRun();
const server = await told.serve();
const browser = await chromium.launch({
  executablePath: execFileSync("sh", ["-c", "command -v chromium || command -v chromium-browser"], {
    encoding: "utf8",
  }).trim(),
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
});
try {
  await takeAll();
} finally {
  await browser.close();
  await server.stop();
}

async function takeAll() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light" });
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(`The page reported: ${error.stack ?? error.message}`));
  await page.goto(server.link);
  await page.getByRole("heading", { name: "Needs you" }).waitFor();
  const ask = async (path, body) => {
    const options = body === undefined ? {} : { method: "POST", data: body };
    const answer = await page.request.fetch(`${server.url}/api/v1${path}`, options);
    if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
    return answer.json();
  };
  /** Look until it is there. */
  const until = async (what, look) => {
    for (const end = Date.now() + 180_000; Date.now() < end; await sleep(200)) {
      const found = await look();
      if (found) return found;
    }
    throw new Error(`It did not come: ${what}`);
  };
  const waiting = (kind) => until(kind, async () => (await ask("/inbox")).entries.find((entry) => entry.kind === kind));
  const decide = ({ project, run_id, id }, decision) =>
    ask(`/projects/${project}/runs/${run_id}/decisions`, { entry_id: id, decision });
  /** A picture of an address, once it shows this text. */
  const take = async (name, path, text, { height = 800, before } = {}) => {
    await page.setViewportSize({ width: 1280, height });
    await page.goto(server.url + path);
    await page.getByText(text).first().waitFor();
    await before?.();
    await sleep(400);
    await page.screenshot({ path: join(out, `${name}.png`) });
  };

  const [{ id: project }] = (await ask("/projects")).projects;
  await ask(`/projects/${project}/requests`, { text: SENTENCE, type: "technical" });
  const plan = await waiting("plan_approval");
  const run = `/runs/${project}/${plan.run_id}`;
  await take("dashboard-inbox", "/", "Read the plan", { height: 640 });
  await take("dashboard-plan", `${run}/plan`, "Level 2");
  await decide(plan, { kind: "approve" });
  const failed = await waiting("escalation");
  await take("dashboard-escalation", "/", "What happened", { height: 700 });
  await take("dashboard-graph", `${run}/graph`, "Lanes by agent", {
    height: 760,
    before: () => page.getByLabel("Views of the run").evaluate((tabs) => tabs.scrollIntoView()),
  });
  await decide(failed, { kind: "order", order: { action: "retry", note: "keep the trimming" } });
  await until(
    "the end of the run",
    async () => (await ask(`/projects/${project}/runs/${plan.run_id}`)).status === "completed",
  );
  await take("dashboard-timeline", `${run}/timeline?task=file-names`, "Attempt 2", { height: 720 });
  await take("dashboard-figures", "/figures", "Cost by day", { height: 760 });
  await take("dashboard-proof", `${run}/proof`, "What proves the results", {
    height: 1000,
    before: async () => {
      await page.getByRole("button", { name: "Verify now" }).click();
      await page.getByText("The record holds.").waitFor();
    },
  });
  if (args.includes("--all")) await takeEveryPage(context, run);
}

async function takeEveryPage(context, run) {
  const views = ["tasks", "graph", "timeline", "plan", "changes", "conflicts", "audit", "proof", "handoff"];
  views.push("tasks?task=file-names", "graph?task=file-names");
  const pages = ["/", "/runs", "/figures", "/new", ...views.map((view) => `${run}/${view}`)];
  const state = await context.storageState();
  for (const colorScheme of ["light", "dark"])
    for (const width of [390, 1280, 1920]) {
      const own = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, storageState: state });
      const page = await own.newPage();
      for (const path of pages) {
        await page.goto(server.url + path);
        await sleep(700);
        const name = path.replace(run, "run").replaceAll(/\W+/g, "-");
        await page.screenshot({
          path: join(out, `all-${colorScheme}-${width}${name.startsWith("-") ? "" : "-"}${name}.png`),
        });
      }
      await own.close();
    }
}
