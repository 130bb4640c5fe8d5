import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAbilities } from "../../src/hands/sandbox/grade.js";
import { ensureBuilt } from "../build.js";
import { attemptOnce } from "./attempt.js";

/* A login that is missing or wrong is not a failure to be tried again: whoever can mend it is told at once, and how. */

const KEY = "ROOM_TEST_KEY";
const NOWHERE = "ROOM_TEST_KEY_NOBODY_SET";
const answers: number[] = [];
const model = createServer((asked, answer) => {
  asked.resume();
  answer.writeHead(answers.shift() ?? 401, { "content-type": "application/json" }).end("{}");
});

beforeAll(async () => {
  ensureBuilt();
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  process.env[KEY] = "wrong";
});
afterAll(() => {
  model.close();
  delete process.env[KEY];
});

const proxied = (key_env: string) => {
  const upstream = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  return { auth: { type: "proxy", upstream, routes: ["POST /v1/messages"], key_env, header: "x-api-key" } };
};

const ASK = `node -e 'fetch("http://127.0.0.1:8787/v1/messages", { method: "POST", body: "{}" }).then((r) => r.text())'`;
const asking = { run: ASK, ask: false, report: false };

describe.runIf(findAbilities().bubblewrap !== null)("the key of an agent's model", () => {
  it("is refused by the model's server: the agent ends as it likes, and a person is asked", async () => {
    const { result } = await attemptOnce({ agent: proxied(KEY), steps: [asking, { say: "Done." }] });
    expect(result.outcome).toMatchObject({ kind: "clarification", question: expect.stringContaining(`set ${KEY}`) });
    expect(result.grade).not.toBe("none");
  });

  it("is taken after all: then the end is the agent's", async () => {
    answers.push(401, 200);
    const { result } = await attemptOnce({ agent: proxied(KEY), steps: [asking, asking, { say: "Done." }] });
    expect(result.outcome).toMatchObject({ kind: "completed" });
  });

  it("is not there: nothing is started, and a person is asked", async () => {
    const { result, events } = await attemptOnce({ agent: proxied(NOWHERE), steps: [{ say: "Done." }] });
    expect(result.outcome).toMatchObject({
      kind: "clarification",
      question: expect.stringContaining(`Set ${NOWHERE}`),
    });
    expect(events).toEqual([]);
  });
});
