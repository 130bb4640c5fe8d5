// Loaded before the program with `node --import`: the process gets a signal at the crash point a test names.
import { armCrashPoints } from "../../dist/foundation/processes/crash-points.js";

const { TEST_CRASH_AT: at, TEST_CRASH_SIGNAL: signal = "SIGKILL" } = process.env;

armCrashPoints((point) => {
  if (point === at) process.kill(process.pid, signal);
});
