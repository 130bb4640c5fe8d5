import type { ClientContext } from "@agentclientprotocol/sdk";
import { expect, it } from "vitest";
import { ensureMode } from "./session-mode.js";

const OFFERED = {
  modes: { currentModeId: "auto", availableModes: ["ask", "auto", "plan"].map((id) => ({ id, name: id })) },
};

/** An agent that has told its mode before, and tells another one so long after it was asked to change. */
function told(mode: string, afterMs: number): Promise<string | null> {
  let reported = "auto";
  const request = async () => void setTimeout(() => (reported = mode), afterMs);
  const agent = { request } as unknown as ClientContext;
  return ensureMode(agent, "s", OFFERED, { mode: "ask", options: [] }, () => reported);
}

it("waits for an agent that tells late that it has changed its mode", async () => {
  expect(await told("ask", 0)).toBeNull();
  expect(await told("ask", 300)).toBeNull();
});

it("says which mode it is in when it is another one", async () => {
  expect(await told("plan", 100)).toBe("it was asked to change to the mode ask and is in plan");
});
