import { expect, it } from "vitest";
import { AgentSettings } from "../../../model/settings/agent-config.js";
import { resolveAgent } from "../resolve-agent.js";
import { describeBrokenOff } from "./outcome.js";

const agent = resolveAgent("scripted", AgentSettings.parse({ preset: "scripted" }));
const lines = { overrun: () => null, garbage: () => ({ lines: 0, first: "" }) } as unknown as Parameters<
  typeof describeBrokenOff
>[2];
const clocks = {} as Parameters<typeof describeBrokenOff>[5];
const ended = (exit: Parameters<typeof describeBrokenOff>[1]) =>
  describeBrokenOff(new Error("closed"), exit, lines, "", agent, clocks);

it.each([
  ["output_bytes", "malformed_output", "The agent was stopped: it printed more than it may."],
  ["minutes", "timeout", "The agent was stopped: it took longer than it may."],
  ["memory", "crash", "The agent was stopped: it used more memory than sandbox.memory_mb allows."],
] as const)(
  "an agent that a limit of its sandbox ended (%s) had been started, and that is what is said",
  (limit, error, message) => {
    const exit = { code: null, signal: "SIGKILL", limit, error: "in words of the sandbox" };
    expect(ended(exit)).toEqual({ kind: "structural", error, message });
  },
);

it("one that could not be started is said to be that", () => {
  expect(ended({ code: null, signal: null, error: "no such file" })).toMatchObject({
    message: "The agent could not be started: no such file.",
  });
});
