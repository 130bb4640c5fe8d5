// Loaded with `node --import` into the Coordinator and its shims: whoever reaches the crash point that is written in
// the file `crash` of the temporary folder first takes the file away and kills itself.
import { readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { armCrashPoints } from "../../dist/foundation/processes/crash-points.js";

const file = join(process.env.TMPDIR ?? "/nowhere", "crash");
const role = process.argv[1]?.endsWith("shim-main.js") ? "shim" : "run";

armCrashPoints((point) => {
  try {
    const [wanted, by = role] = readFileSync(file, "utf8").split("@");
    if (wanted !== point || by !== role) return;
    unlinkSync(file);
  } catch {
    return; // Nothing is armed, or somebody else was first.
  }
  process.kill(process.pid, "SIGKILL");
});
