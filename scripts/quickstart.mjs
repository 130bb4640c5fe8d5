// `npm run quickstart`: installs, builds and runs the main job on an example.
import { install, requireNode, run } from "./steps.mjs";

requireNode();
if (!install()) process.exit(1);
if (!run("npm", ["run", "--silent", "build"])) process.exit(1);
process.exitCode = run(process.execPath, ["examples/feature-plan/run.mjs"]) ? 0 : 1;
