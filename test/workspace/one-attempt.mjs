// A process that makes a workspace, works in it, takes the work over and removes it. Tests kill it on the way. With
// `recover` it only does what a process does first: look after what the dead have left.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openQuarantine } from "../../dist/hands/workspace/quarantine.js";
import { createWorkspaces } from "../../dist/hands/workspace/workspace.js";

const [repository, stateDirectory, order] = process.argv.slice(2);
const quarantine = await openQuarantine({ repository, environment: process.env, stateDirectory });
const workspaces = await createWorkspaces({ quarantine, now: () => new Date().toISOString() });
const recovered = await workspaces.recover();
if (order === "work") {
  const view = { read: ["**"], hidden: ["docs/secret.md"] };
  const workspace = await workspaces.prepare({ base: "HEAD", view, runId: "run_crash", taskId: "T1", attemptId: "1" });
  writeFileSync(join(workspace.path, "src/pay.ts"), "the work\n");
  mkdirSync(join(workspace.path, "node_modules"));
  writeFileSync(join(workspace.path, "node_modules/ignored.js"), "ignored work\n");
  console.log("worked");
  const { status } = await workspace.import({ write: ["src/**"], message: "work" });
  console.log(status);
  const removal = await workspace.remove();
  console.log(removal.status);
}
await workspaces.close();
console.log(JSON.stringify(recovered));
