/*
 * A run: one request on its way from intake to report. It is an append-only log of events; every status, cost and
 * inbox is a fold of that log. These are the nouns the log speaks of, a file for each family of them.
 */
export * from "./run/attempt.js";
export * from "./run/decision.js";
export * from "./run/escalation.js";
export * from "./run/keys.js";
export * from "./run/message.js";
export * from "./run/policy.js";
export * from "./run/task.js";
