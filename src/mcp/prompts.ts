import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/* Questions that people commonly ask their agent about Coordinator, ready to be chosen. */

export function addPrompts(server: McpServer): void {
  const ask = (text: string) => ({ messages: [{ role: "user" as const, content: { type: "text" as const, text } }] });
  server.registerPrompt(
    "hand_over",
    {
      title: "Hand this to Coordinator",
      description: "Submit a request, and say what waits on me.",
      argsSchema: z.object({ request: z.string().describe("What is wanted.") }),
    },
    ({ request }) =>
      ask(
        "Hand the following to Coordinator with the tool submit, word for word. Then show me its plan with the tool plan, and " +
          `tell me what I have to type to approve it. Do not do the work yourself.\n\n${request}`,
      ),
  );
  server.registerPrompt(
    "watch",
    {
      title: "Watch a run",
      description: "Follow a run until it is over or waits on me.",
      argsSchema: z.object({ run_id: z.string().default("last") }),
    },
    ({ run_id }) =>
      ask(
        `Watch the run ${run_id} with the tool status and wait_seconds 50, again and again, until it is over or waits on me. ` +
          "Tell me only what changes. When something waits on me, say what I have to type.",
      ),
  );
  server.registerPrompt(
    "report",
    {
      title: "Report a run",
      description: "What a run delivered, what it cost and how it is proven.",
      argsSchema: z.object({ run_id: z.string().default("last") }),
    },
    ({ run_id }) =>
      ask(
        `Report on the run ${run_id} in ten lines: what was delivered, which files changed (tool diff), how it is proven, what it ` +
          "cost, what is open, and what I type to take it onto my branch.",
      ),
  );
  server.registerPrompt("needs_me", { title: "What waits on me?", description: "Everything that waits on me." }, () =>
    ask(
      "Show me what waits on me with the tool inbox, oldest first: one line each with what I have to type. Decide nothing for me.",
    ),
  );
}
