import { closeSync, constants, existsSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openNetwork } from "./network.js";

it("has its sockets in a folder whose path is longer than the address of a socket may be", async () => {
  const root = mkdtempSync(join(tmpdir(), "coordinator-network-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const path = join(root, "deep-".repeat(30), "sockets");
  mkdirSync(path, { recursive: true });
  const network = await openNetwork({ hosts: ["api.example.com"] }, { path, inside: "/own/sockets", owner: null });
  expect(existsSync(join(path, "connect"))).toBe(true);
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  await new Promise<void>((resolve, reject) => {
    const socket = connect(`/proc/self/fd/${folder}/connect`, () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
  closeSync(folder);
  await network.close();
  expect(existsSync(join(path, "connect"))).toBe(false);
});
