import type { ClientContext } from "@agentclientprotocol/sdk";
import { expect, it } from "vitest";
import { ensureTitle } from "./session-title.js";

const takesTitles = { agentCapabilities: { sessionCapabilities: { title: {} } } };

function agent(answer: () => Promise<unknown>) {
  const asked: unknown[] = [];
  const request = (method: string, params: unknown) => {
    asked.push([method, params]);
    return answer();
  };
  return { asked, context: { request } as unknown as ClientContext };
}

it("gives the session of an agent that takes titles one before it makes its own", async () => {
  const { asked, context } = agent(async () => ({}));
  expect(await ensureTitle(context, "s1", takesTitles)).toBe(null);
  expect(asked).toEqual([["session/set_title", { sessionId: "s1", title: expect.any(String) }]]);
});

it("says why the agent cannot be held to its model when it refuses the title", async () => {
  const { context } = agent(() => Promise.reject(new Error("not now")));
  expect(await ensureTitle(context, "s1", takesTitles)).toContain("not now");
});

it.each([{}, null, { agentCapabilities: null }, { agentCapabilities: { sessionCapabilities: { title: null } } }])(
  "asks nothing of an agent that does not take titles: %j",
  async (hello) => {
    const { asked, context } = agent(async () => ({}));
    expect(await ensureTitle(context, "s1", hello)).toBe(null);
    expect(asked).toEqual([]);
  },
);
