import { expect, it } from "vitest";
import { CONVENTIONS, OPERATIONS, OWN, STANDARD } from "./metric-names.js";

it("names of the conventions are those of one version, and all others are ours", () => {
  expect({ CONVENTIONS, STANDARD, OPERATIONS }).toEqual({
    CONVENTIONS: { version: "1.41.0", schemaUrl: "https://opentelemetry.io/schemas/1.41.0" },
    STANDARD: {
      operation: "gen_ai.operation.name",
      workflow: "gen_ai.workflow.name",
      agent: "gen_ai.agent.name",
      conversation: "gen_ai.conversation.id",
      model: "gen_ai.request.model",
      tool: "gen_ai.tool.name",
      toolCall: "gen_ai.tool.call.id",
      toolArguments: "gen_ai.tool.call.arguments",
      input: "gen_ai.input.messages",
      output: "gen_ai.output.messages",
      errorType: "error.type",
    },
    OPERATIONS: { workflow: "invoke_workflow", agent: "invoke_agent", tool: "execute_tool" },
  });
  for (const name of Object.values(OWN)) expect(name).toMatch(/^coordinator\./);
});
