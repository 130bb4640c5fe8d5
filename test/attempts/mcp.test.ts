import { type AddressInfo, createServer } from "node:net";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Step } from "../../src/hands/agents/scripted/script.js";
import { findAbilities } from "../../src/hands/sandbox/grade.js";
import { ensureBuilt } from "../build.js";
import { attemptOnce } from "./attempt.js";

/* Servers of the Model Context Protocol that a configuration names: in the same room as the agent, under the same rules. */

beforeAll(ensureBuilt);

const SERVER = fileURLToPath(new URL("./mcp-server.mjs", import.meta.url));
const agent = { mcp_servers: [{ name: "fixture", argv: ["node", SERVER, "--with", "arguments"] }] };
/** Arguments show nothing: what a server is made of is named as a tool. */
const order = { tools: [SERVER] };
const use = (tool: string, given: Record<string, string | number> = {}): Step => ({
  mcp: "fixture",
  tool,
  arguments: given,
});

describe.runIf(findAbilities().bubblewrap !== null)("a server of the Model Context Protocol", () => {
  it("is handed over with the session, runs in the sandbox, and is held by it [S1-015]", async () => {
    const outside = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void outside.close());
    const { port } = outside.address() as AddressInfo;
    const { result, file } = await attemptOnce({
      agent,
      order,
      steps: [
        use("look"),
        use("write", { path: "src/made.txt" }),
        use("write", { path: "/usr/made.txt" }),
        use("write", { path: "/etc/made.txt" }),
        use("write", { path: `${homedir()}/made.txt` }),
        use("write", { path: SERVER }),
        use("dial", { host: "127.0.0.1", port }),
        use("dial", { host: "192.0.2.1", port: 80 }),
        { mcp: "unknown", tool: "look", arguments: {} },
      ],
    });
    expect(result.outcome).toMatchObject({ kind: "completed" });
    const [look = "", ...told] = result.output.split("\n");
    const seen = JSON.parse(look) as { cwd: string; env: Record<string, string>; args: string[] };
    expect(seen).toMatchObject({ cwd: "/ws", env: { HOME: "/home/agent" }, args: ["--with", "arguments"] });
    expect(Object.values(seen.env).join()).not.toContain(homedir());
    expect(told[0]).toBe("wrote src/made.txt");
    expect(told.slice(1, 7).filter((line) => !line.startsWith("refused "))).toEqual([]);
    expect(told[7]).toContain("no server unknown, only fixture");
    expect(file("src/made.txt")).toBe("from the server");
  });

  it("that writes outside of the scope ends the attempt like any other child of the agent", async () => {
    const { result, file } = await attemptOnce({
      agent,
      order,
      steps: [use("write", { path: "README.md" }), { sleep: 120_000 }, use("write", { path: "src/later.txt" })],
    });
    expect(result.outcome).toMatchObject({ kind: "semantic", violation: "scope" });
    expect(file("src/later.txt")).toBeNull();
  });
});
