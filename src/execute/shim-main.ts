import { attemptBody } from "./attempt-body.js";
import { runShim } from "./shim/run-shim.js";

/* The program of a shim: started by the Coordinator for one attempt, with the folder of its order. */

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("This program is started by the Coordinator.");
  process.exit(2);
}
await runShim(folder, { attempt: attemptBody });
