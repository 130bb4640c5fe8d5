import type { ClientContext, SessionConfigOption } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { ensureModel, modelsIn, type OfferedModels } from "./session-model.js";

const option = (now: string, ...values: string[]): SessionConfigOption => ({
  id: "model",
  name: "Model",
  category: "model",
  type: "select",
  currentValue: now,
  options: values.map((value) => ({ value, name: value })),
});

/** An agent that answers so to being told a model; what it was asked is kept. */
function told(offered: OfferedModels, model: string | null, answer: unknown = {}, model_at_start = false) {
  const requests: unknown[] = [];
  const agent = {
    request: async (method: string, params: unknown) => {
      requests.push([method, params]);
      return answer;
    },
  } as unknown as ClientContext;
  return ensureModel(agent, "s", offered, { model, model_at_start }).then((problem) => ({ problem, requests }));
}

describe("the model of a session", () => {
  const offered = { configOptions: [option("a", "a", "b", "maker/c")] };

  it("is set as an option of the session, by its name with or without its maker, and read back", async () => {
    const set = await told(offered, "c", { configOptions: [option("maker/c", "a", "b", "maker/c")] });
    expect(set).toEqual({
      problem: null,
      requests: [["session/set_config_option", { sessionId: "s", configId: "model", value: "maker/c" }]],
    });
    const ignored = await told(offered, "b", { configOptions: [option("a", "a", "b")] });
    expect(ignored.problem).toBe("its option model was set to b and is a");
  });

  it("is left alone where it is the one that is wanted, or where none is", async () => {
    expect(await told(offered, "a")).toEqual({ problem: null, requests: [] });
    expect(await told(offered, null)).toEqual({ problem: null, requests: [] });
  });

  it("is a problem where the agent does not have it, also when it was started with that name", async () => {
    const missing = { problem: "it does not offer the model d, only a, b, maker/c; it is on a", requests: [] };
    expect(await told(offered, "d")).toEqual(missing);
    expect(await told(offered, "d", {}, true)).toEqual(missing);
    expect((await told({}, "d")).problem).toBe("it offers no choice of models, so d cannot be set");
    expect((await told({}, "d", {}, true)).problem).toBeNull();
  });

  it("is set in the form of earlier versions of the protocol, too", async () => {
    const models = { currentModelId: "a", availableModels: [{ modelId: "a" }, { modelId: "b", name: "B" }] };
    expect(await told({ models }, "b")).toEqual({
      problem: null,
      requests: [["session/set_model", { sessionId: "s", modelId: "b" }]],
    });
    expect((await told({ models }, "c")).problem).toBe("it does not offer the model c, only a, b; it is on a");
    expect([modelsIn({ models }), modelsIn(offered), modelsIn({ models: 7 })]).toEqual([
      ["a", "b"],
      ["a", "b", "maker/c"],
      [],
    ]);
  });
});
