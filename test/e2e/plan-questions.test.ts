import { beforeAll, describe, expect, it } from "vitest";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "../build.js";
import { asked } from "./asked.js";

/* What only a person can know is asked before anything is done, and whoever works is told the answer. */

beforeAll(ensureBuilt);

const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
  "src/app.mjs": "export const app = 1;\n",
  "test/app.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
  ".gitignore": ".coordinator/\n",
};
const ASK = "Add authentication with JWT, a profile page, and password reset";
const IMAGE = "iVBORw0KGgoAAAANSUhEUg==";

describe("a request that leaves something open", () => {
  it("waits for the answer, and every part of it is told what was decided and shown what was attached", async () => {
    const part = (title: string, name: string) => ({
      title,
      writes: { [`src/${name}.mjs`]: `export const ${name} = 1;\n` },
    });
    const desk = asked(FILES, [
      part("Add authentication with JWT", "login"),
      part("Add a profile page", "profile"),
      part("Add password reset", "reset"),
      { title: `Write tests: ${ASK}`, writes: { "test/login.test.mjs": FILES["test/app.test.mjs"] } },
    ]);
    const file = join(desk.cwd, "../request.json");
    writeFileSync(
      file,
      JSON.stringify({
        request_id: "550e8400-e29b-41d4-a716-446655440000",
        timestamp: "2026-02-03T04:05:06Z",
        user_request: ASK,
        attachments: [{ type: "image", content: IMAGE, description: "how the page looks" }],
      }),
    );
    // --yes approves a plan; it answers no question.
    const waits = desk.call("run", "--request", file, "--type", "technical", "--yes", "--json");
    expect(waits.code, waits.stderr).toBe(3);
    const inbox = desk.call("inbox").stdout;
    expect(inbox).toContain("Where are user accounts and passwords kept?");
    const [record = ""] = await desk.runs();
    const [, id = ""] = /coordinator answer (q_\S+)/.exec(inbox) ?? [];
    expect(desk.call("answer", id, "own_database", "--run", record).code).toBe(0);
    const ran = desk.call("run", "--resume", record, "--yes");
    const run = (await desk.runs()).find((name) => name.startsWith("run_")) ?? "";
    const orders = Object.values(desk.orders(run));
    const parts = orders.filter(({ prompt }) => prompt.includes("Your part of it"));
    expect(parts.length, ran.stdout + ran.stderr).toBe(3);
    for (const { prompt, context } of parts) {
      expect(prompt).toContain("- accounts kept: own_database");
      expect(prompt).toContain("Done when:");
      expect(context).toMatchObject([{ ref: "attachments[0]", image: { mime_type: "image/png", data: IMAGE } }]);
    }
    const kept = (await desk.log()).flatMap(({ event }) => (event.type === "brief_kept" ? event.brief.documents : []));
    expect(kept).toMatchObject([
      { ref: "attachments[0]", checksum: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    ]);
  });
});
