import { z } from "zod";
import { text } from "../primitives.js";
import { RunPhase } from "./keys.js";

/* Who decided, and what was decided of an agent, a result or a phase. */

/** Who decided, when, and how it came about. */
export const Decider = z.strictObject({
  by: text(1, 200),
  how: z.enum(["rule", "person", "timeout_default", "agent"]),
  via: z
    .enum(["yes", "terminal", "command", "dashboard", "api", "mcp", "comment"])
    .optional()
    .describe(
      "How a person said so: beforehand with --yes, when asked at a terminal, by the command itself, in the dashboard, by a " +
        "program with a token of theirs, through their agent over MCP, or by a comment on an issue. With `agent`, that agent said so itself.",
    ),
});
export type Decider = z.infer<typeof Decider>;

export const BreakerState = z.enum(["closed", "open", "half_open"]);
export type BreakerState = z.infer<typeof BreakerState>;

export const Verdict = z.enum(["PASS", "FAIL", "BLOCKED"]);

export const GateCriterion = z.strictObject({
  criterion: z.enum(["deliverables", "quality", "risks", "blockers", "resources"]),
  passed: z.boolean(),
  reason: z.string(),
  evidence: z.array(z.string()),
});
export type GateCriterion = z.infer<typeof GateCriterion>;

export const GateDecision = z.strictObject({
  phase: RunPhase,
  decision: z.enum(["GO", "NO_GO"]),
  reason: z.string(),
  criteria: z.array(GateCriterion),
});
export type GateDecision = z.infer<typeof GateDecision>;
