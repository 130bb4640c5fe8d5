/*
 * The names of what is sent to collectors, all of them in this file.
 *
 * Names of generative AI follow the OpenTelemetry semantic conventions of this version. They are not stable there, so they
 * are changed here together with the version, and with the test that pins both.
 */

export const CONVENTIONS = {
  version: "1.41.0",
  schemaUrl: "https://opentelemetry.io/schemas/1.41.0",
} as const;

export const SCOPE = "coordinator";

/** Of the OpenTelemetry semantic conventions. */
export const STANDARD = {
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
} as const;

export const OPERATIONS = { workflow: "invoke_workflow", agent: "invoke_agent", tool: "execute_tool" } as const;

/** Of this program, for what the conventions have no name for. */
export const OWN = {
  run: "coordinator.run.id",
  plan: "coordinator.plan.id",
  tasks: "coordinator.run.tasks",
  task: "coordinator.task.id",
  title: "coordinator.task.title",
  attempt: "coordinator.attempt",
  status: "coordinator.status",
  outcome: "coordinator.outcome",
  verdict: "coordinator.verdict",
  decision: "coordinator.judgement.decision",
  rule: "coordinator.judgement.rule",
  observed: "coordinator.tool.observed",
  entry: "coordinator.entry.id",
  kind: "coordinator.entry.kind",
  decidedHow: "coordinator.decided.how",
  tokens: "coordinator.usage.tokens",
  minutes: "coordinator.usage.minutes",
  cost: "coordinator.cost.usd",
  source: "coordinator.usage.source",
  sequence: "coordinator.log.sequence",
} as const;
