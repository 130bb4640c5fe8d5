import { readFileSync } from "node:fs";
import { registerSecrets, withoutSecrets } from "../../foundation/files/known-secrets.js";
import { attemptBody } from "./attempt-body.js";
import { runShim } from "./shim/run-shim.js";

/* The program of a shim: started by the Coordinator for one attempt, with the folder of its order. */

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("This program is started by the Coordinator.");
  process.exit(2);
}
// Anyone who started it may have died on the way: without these it does nothing, and nobody has claimed anything.
const secrets = JSON.parse(readFileSync(0, "utf8")) as [value: string, name: string][];
registerSecrets(secrets.map(([value, name]) => [name, value] as const));
// An error that ends the process is printed into `shim.log`, and may quote what an agent said.
process.on("uncaughtException", (error) => {
  console.error(withoutSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error)));
  process.exit(1);
});
await runShim(folder, { attempt: attemptBody });
