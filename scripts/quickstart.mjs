// `npm run quickstart`: installs, builds and carries out a whole run on an example. `-- --no-install` adds no program to
// this machine: without a sandbox the example goes on all the same, and says so. `-- --open` ends on the dashboard, which
// shows the run until Ctrl-C. `-- --host` tells another story: from an issue to a second change of one pull request, on a
// stand-in for a host of code.
import { ensurePrograms, install, requireNode, run } from "./steps.mjs";

requireNode();
if (!install()) process.exit(1);
if (process.platform === "linux")
  ensurePrograms(
    { bwrap: "bubblewrap" },
    { why: "the sandbox that agents work in", mayInstall: !process.argv.includes("--no-install") },
  );
if (!run("npm", ["run", "--silent", "build"])) process.exit(1);
const story = process.argv.includes("--host") ? "examples/hosts/run.mjs" : "examples/first-run/run.mjs";
const open = process.argv.includes("--open") ? ["--open"] : [];
// Ctrl-C ends the dashboard, which ends by itself then; this process waits for it.
if (open.length > 0) process.on("SIGINT", () => {});
process.exitCode = run(process.execPath, [story, ...open]) ? 0 : 1;
