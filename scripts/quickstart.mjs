// `npm run quickstart`: installs, builds and carries out a whole run on an example.
import { install, requireNode, run } from "./steps.mjs";

requireNode();
if (!install()) process.exit(1);
if (!run("npm", ["run", "--silent", "build"])) process.exit(1);
process.exitCode = run(process.execPath, ["examples/first-run/run.mjs"]) ? 0 : 1;
