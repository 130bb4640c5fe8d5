import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { ASK, desk } from "../server/desk.js";
import { until } from "../server/served.js";
import { connect, VERSIONS } from "./clients.js";

beforeAll(ensureBuilt);

describe("a whole run over MCP", () => {
  it.each(VERSIONS)(
    "goes from a sentence to a proven result, approved at the command line, in %s",
    async (version) => {
      const project = desk();
      const agent = await connect(project, version);
      const lines: string[] = [];
      const submitted = await agent.call("submit", { text: ASK }, (line) => lines.push(line));
      expect(submitted.isError, submitted.text).toBe(false);
      expect(JSON.parse(submitted.text)).toEqual(submitted.value);
      const { request_id } = submitted.value as { request_id: string };
      const request = await until(
        async () => {
          const { value } = await agent.call("status", { request_id, wait_seconds: 20 });
          return value.request.run_id === null ? null : value.request;
        },
        () => submitted.text,
        120_000,
      );
      const run = request.run_id as string;
      expect(request.waiting).toMatchObject([{ kind: "plan_approval", answered_by: "person" }]);
      const [{ commands }] = request.waiting;
      expect(request.next_step).toContain(commands[0]);

      // Whatever the agent calls, the plan waits for the person.
      expect((await agent.call("run", { run_id: run })).value).toMatchObject({ state: "waiting" });
      expect((await agent.call("status", { run_id: run })).value.run).toMatchObject({
        tasks: { done: 0 },
        worked_on: false,
      });
      expect((await agent.call("plan", { run_id: run })).value).toMatchObject({
        approved: false,
        tasks: [{ title: ASK }],
      });
      const [, ...words] = (commands[0] as string).split(" ");
      expect(project.call(...words)).toMatchObject({ code: 0 });

      expect((await agent.call("run", { run_id: run })).value).toMatchObject({ run_id: run, state: "started" });
      // From the first moment on: an agent that is told otherwise would order it again.
      expect((await agent.call("status", { run_id: run })).value.run).toMatchObject({
        next_step: expect.not.stringContaining("Nobody works on it") as unknown,
      });
      const done = await until(
        async () => {
          const { value } = await agent.call("status", { run_id: run, wait_seconds: 10 }, (line) => lines.push(line));
          return value.run.status === "completed" ? value.run : null;
        },
        () => lines,
        180_000,
      );
      expect(done).toMatchObject({ tasks: { total: 1, done: 1 }, waiting: [] });
      expect(done.next_step).toContain(`coordinator merge ${run}`);
      expect(lines[0]).toContain("planned");
      expect((await agent.call("diff", { run_id: run })).value.patch).toContain("+# Reports, documented");
      expect((await agent.call("tasks", { run_id: run })).value.tasks).toMatchObject([
        { run_id: run, status: "completed" },
      ]);
      const { ids } = (await agent.call("explain", { run_id: run })).value;
      expect((await agent.call("explain", { run_id: run, id: ids[0] })).value.explanation).toContain(ids[0]);
      expect((await agent.call("inbox")).value).toMatchObject({ open: 0, entries: [] });
      // The approval in the log is the person's, and nothing in it is an agent's.
      const log = await project.log();
      const deciders = log.flatMap(({ event }) => ("decider" in event ? [event.decider] : []));
      expect(log.find(({ event }) => event.type === "plan_approved")?.event).toMatchObject({
        decider: { by: "ada", how: "person", via: "command" },
      });
      expect(deciders.filter((one) => one?.how === "agent")).toEqual([]);
      expect(agent.said()).toBe("");
    },
    300_000,
  );
});
