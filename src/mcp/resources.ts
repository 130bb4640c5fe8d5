import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { useCases } from "../app/coordinator.js";
import { toJson } from "../app/json/to-json.js";
import type { OpenProject } from "./project.js";
import { describeRun, listRuns } from "./run-result.js";
import { expectReport } from "./shared.js";

/* Runs, plans, handoffs and the board as resources, for clients that show documents. */

const JSON_TYPE = "application/json";
const MARKDOWN = "text/markdown";

export function addResources(server: McpServer, open: OpenProject): void {
  const json = (uri: URL, value: unknown) => ({
    contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(value, null, 1) }],
  });
  const markdown = (uri: URL, text: string) => ({ contents: [{ uri: uri.href, mimeType: MARKDOWN, text }] });
  const textOf = (value: string | string[] | undefined) => String(value ?? "");

  server.registerResource(
    "runs",
    "coordinator://runs",
    { title: "Runs", description: "The newest runs of the project.", mimeType: JSON_TYPE },
    async (uri) => json(uri, await listRuns(await open("status"))),
  );
  server.registerResource(
    "inbox",
    "coordinator://inbox",
    { title: "Inbox", description: "Everything that waits on people.", mimeType: JSON_TYPE },
    async (uri) => json(uri, toJson(expectReport(await useCases.showInbox(await open("inbox")), "inbox"))),
  );
  server.registerResource(
    "board",
    "coordinator://board",
    { title: "Board", description: "PROJECT_HQ.md: the project on one page.", mimeType: MARKDOWN },
    async (uri) => markdown(uri, await useCases.showBoard(await open("status"))),
  );
  const runs = async (kind: string) => {
    const { runs: found } = await listRuns(await open("status"));
    return {
      resources: found.map(({ run_id, request }) => ({
        uri: `coordinator://${kind}/${run_id}`,
        name: `${kind} ${run_id}`,
        description: request.slice(0, 200),
      })),
    };
  };
  server.registerResource(
    "run",
    new ResourceTemplate("coordinator://run/{run_id}", { list: () => runs("run") }),
    { title: "A run", description: "How a run stands.", mimeType: JSON_TYPE },
    async (uri, { run_id }) => json(uri, await describeRun(textOf(run_id), await open("status"))),
  );
  server.registerResource(
    "plan",
    new ResourceTemplate("coordinator://plan/{run_id}", { list: undefined }),
    {
      title: "The plan of a run",
      description: "The plan as a person reads it before they approve it.",
      mimeType: MARKDOWN,
    },
    async (uri, { run_id }) => {
      const plan = await useCases.showPlan(textOf(run_id), await open("plan"));
      const listed = plan.tasks.map(({ task_id, title }) => `- ${task_id}: ${title}`).join("\n");
      return markdown(uri, plan.text ?? `# Plan ${plan.plan_id}\n\n${listed}\n`);
    },
  );
  server.registerResource(
    "handoff",
    new ResourceTemplate("coordinator://handoff/{run_id}", { list: undefined }),
    { title: "The handoff of a run", description: "What the next session has to know.", mimeType: MARKDOWN },
    async (uri, { run_id }) => {
      const { text, record } = await useCases.showHandoff(textOf(run_id), await open("status"));
      return markdown(uri, text ?? record.summary);
    },
  );
}
