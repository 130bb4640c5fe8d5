import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findAbilities } from "../../src/hands/sandbox/grade.js";
import { ensureBuilt } from "../build.js";
import { attemptOnce } from "./attempt.js";

/* Settings of a project, as an agent meets them. */

beforeAll(ensureBuilt);

const unseen = (command: string) => ({ run: command, ask: false, report: false });

describe.runIf(findAbilities().bubblewrap !== null)("what a project sets for its attempts", () => {
  it("hides what globs match, in a workspace that stands where a person wants it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "coordinator-elsewhere-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    let seen: string[] = [];
    const { result, file } = await attemptOnce({
      files: { "docs/plan.md": "x\n", "docs/api/a.md": "x\n", "deep/er/key.pem": "x\n", "docs/open.txt": "x\n" },
      order: { workspaces: folder, hidden: ["docs/*.md", "**/*.pem", "docs/{api,other}/"] },
      steps: [
        unseen("find . -path ./.git -prune -o -type f -print > /tmp/list && sort /tmp/list > src/list"),
        { say: "Done." },
      ],
      onEvent: () => {
        const [project = ""] = readdirSync(folder);
        seen = existsSync(join(folder, project)) ? readdirSync(join(folder, project)) : [];
      },
    });
    expect(result.outcome).toMatchObject({ kind: "completed" });
    expect(file("src/list")).toBe("./README.md\n./docs/open.txt\n./src/a.txt");
    expect(seen, "it stood there while the agent worked").toHaveLength(1);
    expect(result.changes.map(({ path }) => path)).toEqual(["src/list"]);
  });

  it("removes what setup made without following a link the agent left there", async () => {
    const victim = mkdtempSync(join(tmpdir(), "coordinator-precious-"));
    onTestFinished(() => rmSync(victim, { recursive: true, force: true }));
    for (const path of ["file", "node_modules/file"]) {
      mkdirSync(dirname(join(victim, path)), { recursive: true });
      writeFileSync(join(victim, path), "mine");
    }
    const setup = { run: "mkdir -p node_modules web/node_modules", keeps: ["node_modules", "web/node_modules"] };
    const attack = `mkdir node_modules/.removing && ln -s ${victim} node_modules/.removing/0 && mv web away && ln -s ${victim} web`;
    await attemptOnce({
      files: { "web/page.txt": "x\n", ".gitignore": "node_modules\n" },
      order: { setup: { ...setup, inputs: [], mounts: [], minutes: 1 } },
      write: ["**"],
      steps: [unseen(attack), { say: "Done." }],
    });
    for (const path of ["file", "node_modules/file"]) expect(existsSync(join(victim, path)), path).toBe(true);
  });

  it("lets an agent reach the hosts that are listed, and no others", async () => {
    const listen = async () => {
      const server = createServer((socket) => socket.end("hello"));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
      return (server.address() as AddressInfo).port;
    };
    const [listed, unlisted, other] = [await listen(), await listen(), await listen()];
    const dial = `const { connect } = require("net");
      for (const port of process.argv.slice(1)) {
        const socket = connect(3128, "127.0.0.1", () => socket.write("CONNECT 127.0.0.1:" + port + " HTTP/1.1\\r\\n\\r\\n"));
        let said = "";
        socket.on("data", (chunk) => (said += chunk)).on("close", () => console.log(port, said.split(" ")[1], said.endsWith("hello")));
      }`.replace(/\n\s*/g, " ");
    const { result, file } = await attemptOnce({
      scope: { network: [`127.0.0.1:${listed}`, `127.0.0.1:${unlisted}`] },
      // Of those, one stands in the person's own settings: the others are this machine's, and nobody's to give.
      order: { inner_hosts: [`127.0.0.1:${listed}`] },
      steps: [unseen(`node -e '${dial}' ${listed} ${unlisted} ${other} | sort > src/dialled`), { say: "Done." }],
    });
    expect(result.outcome).toMatchObject({ kind: "completed" });
    const lines = [`${listed} 200 true`, `${unlisted} 403 false`, `${other} 403 false`].sort();
    expect(file("src/dialled")).toBe(lines.join("\n"));
  });
});
