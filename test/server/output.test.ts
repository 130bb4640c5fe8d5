import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { approve, desk, standing, submitted } from "./desk.js";
import { serve, until } from "./served.js";

beforeAll(ensureBuilt);

const SECRET = ["ghp", "R7kQ2mX9vT4bL1sW8nZ3cY6dF5gH0jP2aB4e"].join("_");

interface Part {
  readonly lines: readonly { readonly kind: string; readonly text: string }[];
  readonly next: string;
  readonly live: boolean;
  readonly cut: boolean;
}

describe("the output of an agent", () => {
  it("is read while it works, each line once, without secrets, and to the end", async () => {
    const served = await serve(
      desk([
        { say: "I look at the reports first.\n" },
        { say: `The key ${SECRET} stands in a file.\n` },
        { sleep: 2500 },
        { write: "README.md", text: "# Reports, documented\n" },
        { say: "All is documented." },
      ]),
    );
    const { project, run, entry } = await submitted(served);
    await approve(served, project, run, entry);
    const task = await until(async () => {
      const { tasks } = (await served.ask(`/projects/${project}/runs/${run}/graph`)).json;
      return tasks[0]?.attempts > 0 ? (tasks[0].task_id as string) : null;
    });
    const path = `/projects/${project}/runs/${run}/tasks/${encodeURIComponent(task)}/attempts/1/output`;
    const texts: string[] = [];
    let after = "";
    let wasLive = false;
    const look = async () => {
      const { status, json } = await served.ask(`${path}${after === "" ? "" : `?after=${after}`}`);
      if (status !== 200) return null;
      const { lines, next, live } = json as Part;
      after = next;
      texts.push(...lines.map(({ text }) => text));
      return { live };
    };
    await until(async () => {
      const seen = await look();
      wasLive ||= seen?.live === true && texts.some((text) => text.includes("I look at the reports first."));
      return seen?.live === false;
    });
    expect(wasLive).toBe(true);
    const all = texts.join("");
    expect(all).not.toContain(SECRET);
    for (const said of ["I look at the reports first.", "stands in a file", "All is documented."])
      expect(all.split(said), said).toHaveLength(2);
    expect(texts.some((text) => text.includes("README.md"))).toBe(true);
    await standing(served, project, run, "completed");
    expect(((await served.ask(`${path}?after=${after}`)).json as Part).lines).toEqual([]);
    expect((await served.ask(path)).json.lines.length).toBeGreaterThan(0);
    for (const other of [path.replace("attempts/1", "attempts/9"), path.replace(run, "run_of_nobody")])
      expect((await served.ask(other)).status).toBe(404);
    expect((await served.ask(path.replace("attempts/1", "attempts/x"))).status).toBe(422);
  }, 180_000);
});
