// `npm run quickstart:team`: installs, builds and carries out a run by two workers on a Postgres server of its own, of which one is
// killed in the middle. `-- --no-install` adds no program to this machine, and says what is missing.
import { ensurePrograms, install, requireNode, root, run } from "./steps.mjs";

requireNode();
if (process.platform !== "linux") {
  console.error("Workers need Linux: their sandbox and their processes are made for it.");
  process.exit(2);
}
if (!install() || !run("npm", ["run", "--silent", "build"])) process.exit(1);
const { whyNoPostgres } = await import(`${root}dist/testing/postgres-server.js`);
const mayInstall = !process.argv.includes("--no-install");
ensurePrograms({ bwrap: "bubblewrap" }, { why: "the sandbox that agents work in", mayInstall });
if (whyNoPostgres() !== null)
  // Debian keeps the server's programs out of PATH, and its helpers may be there without any server.
  ensurePrograms({ postgres: "postgresql" }, { why: "the database that holds the log", mayInstall });
const missing = whyNoPostgres();
if (missing !== null) {
  console.error(`This cannot go on without Postgres. ${missing}`);
  process.exit(1);
}
process.exitCode = run(process.execPath, ["examples/team-run/run.mjs"]) ? 0 : 1;
