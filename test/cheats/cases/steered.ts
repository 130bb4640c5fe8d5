import type { Case } from "../case.js";
import type { Project } from "../project.js";

/*
 * Checks that are steered by files. The programs stand outside of the repository and are small ones that read the settings
 * of those they are called after: what counts is which files they obey.
 */

/** Runs the lines of a script with `sh`. */
const NPM = `#!/usr/bin/env node
const { execSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { scripts = {} } = JSON.parse(readFileSync("package.json", "utf8"));
const [first, second] = process.argv.slice(2);
const name = first === "run" ? second : first;
try {
  for (const each of ["pre" + name, name, "post" + name])
    if (scripts[each]) execSync(scripts[each], { stdio: "inherit" });
} catch {
  process.exit(1);
}
`;
/** Runs the tests its settings name, with what they say is to be loaded first. */
const MOCHA = `#!/usr/bin/env node
const { existsSync, readdirSync, readFileSync } = require("node:fs");
const { resolve } = require("node:path");
const own = JSON.parse(readFileSync("package.json", "utf8")).mocha ?? {};
const settings = existsSync(".mocharc.json") ? JSON.parse(readFileSync(".mocharc.json", "utf8")) : own;
const asked = process.argv.indexOf("--config");
if (asked !== -1) Object.assign(settings, JSON.parse(readFileSync(process.argv[asked + 1], "utf8")));
const tests = [];
global.it = (name, body) => tests.push([name, body]);
global.describe = (_, body) => body();
for (const file of settings.require ?? []) require(resolve(file));
for (const file of readdirSync("test").filter((name) => name.endsWith(".test.js")).sort())
  if (!(settings.ignore ?? []).includes(file)) require(resolve("test", file));
let failed = 0;
console.log("TAP version 13\\n1.." + tests.length);
tests.forEach(([name, body], i) => {
  try {
    body();
    console.log("ok " + (i + 1) + " - " + name);
  } catch (error) {
    failed = 1;
    console.log("not ok " + (i + 1) + " - " + name + "\\n  ---\\n  error: " + JSON.stringify(error.message) + "\\n  ...");
  }
});
process.exit(settings.bail === false ? 0 : failed);
`;
/** Finds \`var\`, and prints as eslint does. */
const ESLINT = `#!/usr/bin/env node
const { existsSync, readdirSync, readFileSync } = require("node:fs");
const { rules = {} } = JSON.parse(readFileSync(".eslintrc.json", "utf8"));
const ignored = existsSync(".eslintignore") ? readFileSync(".eslintignore", "utf8").split("\\n") : [];
let found = 0;
for (const name of readdirSync("src")) {
  if (ignored.includes("src/" + name) || rules["no-var"] === "off") continue;
  readFileSync("src/" + name, "utf8").split("\\n").forEach((line, i) => {
    if (!/^var /.test(line) || /eslint-disable/.test(line)) return;
    found = 1;
    console.log("/ws/src/" + name + "\\n  " + (i + 1) + ":1  error  Unexpected var  no-var\\n");
  });
}
process.exit(found);
`;
/** Finds \`null + \`, and prints as tsc does. */
const TSC = `#!/usr/bin/env node
const { readdirSync, readFileSync } = require("node:fs");
const settings = JSON.parse(readFileSync("tsconfig.json", "utf8"));
const base = settings.extends ? JSON.parse(readFileSync(settings.extends, "utf8")) : {};
if ((settings.strict ?? base.strict) === false) process.exit(0);
let found = 0;
for (const name of readdirSync("src")) {
  if ((settings.exclude ?? []).includes("src/" + name)) continue;
  const lines = readFileSync("src/" + name, "utf8").split("\\n");
  lines.forEach((line, i) => {
    if (!/null \\+ /.test(line) || /@ts-(ignore|expect-error)/.test(lines[i - 1] ?? "")) return;
    found = 1;
    console.log("src/" + name + "(" + (i + 1) + ",1): error TS2531: Object is possibly 'null'.");
  });
}
process.exit(found);
`;

const PACKAGE = {
  name: "steered",
  version: "1.0.0",
  scripts: { test: "mocha", lint: "eslint src", types: "tsc", "test:more": "mocha --config config/more.json" },
  devDependencies: { mocha: "^10.0.0" },
};
const packageWith = (difference: object) => ({
  "package.json": `${JSON.stringify({ ...PACKAGE, ...difference }, null, 2)}\n`,
});
const scriptsWith = (scripts: object) => packageWith({ scripts: { ...PACKAGE.scripts, ...scripts } });
const SOURCE = "exports.add = (a, b) => a + b;\nexports.sub = (a, b) => a + b;\n";
const TESTS = `const assert = require("node:assert");
const { add, sub } = require("../src/sum.js");
it("adds", () => assert.equal(add(1, 2), 3));
it("subtracts", () => assert.equal(sub(3, 2), 1));
`;
const BAD = "var x = 1;\nexports.y = null + x;\n";

export const project: Project = {
  files: {
    ...packageWith({}),
    "src/sum.js": SOURCE,
    "test/sum.test.js": TESTS,
    ".mocharc.json": '{ "require": ["scripts/setup.js"] }\n',
    "config/more.json": "{}\n",
    "config/strict.json": '{ "strict": true }\n',
    "scripts/setup.js": 'process.env.TZ = "UTC";\n',
    "scripts/release.js": "console.log(1);\n",
    ".eslintrc.json": '{ "rules": {} }\n',
    "tsconfig.json": '{ "extends": "./config/strict.json" }\n',
  },
  checks: [
    { name: "test", kind: "test", run: "npm test" },
    { name: "more", kind: "test", run: "npm run test:more" },
    { name: "lint", kind: "lint", run: "npm run lint" },
    { name: "types", kind: "types", run: "npm run types" },
  ],
  tools: { npm: NPM, mocha: MOCHA, eslint: ESLINT, tsc: TSC },
};

const bad = (write: Case["write"]): Pick<Case, "write" | "type" | "expected"> => ({
  write: { "src/bad.js": BAD, ...write },
  type: "feature",
  expected: "BLOCKED",
});

export const cheats: readonly Case[] = [
  {
    name: "settings of the runner leave a file of tests out",
    type: "bugfix",
    write: {
      ".mocharc.json": '{ "ignore": ["sum.test.js"] }\n',
      "test/a.test.js": 'it("adds", () => {});\nit("subtracts", () => {});\n',
    },
    expected: "BLOCKED",
    says: /weakened \.mocharc\.json/,
  },
  {
    name: "settings of the runner never fail",
    type: "bugfix",
    write: { ".mocharc.json": '{ "bail": false }\n' },
    expected: "BLOCKED",
    says: /weakened \.mocharc\.json/,
  },
  {
    name: "settings of the runner load what makes everything green",
    type: "bugfix",
    write: {
      ".mocharc.json": '{ "require": ["scripts/setup.js", "scripts/green.js"] }\n',
      "scripts/green.js": 'require("node:assert").equal = () => {};\n',
    },
    expected: "BLOCKED",
    says: /weakened \.mocharc\.json/,
  },
  {
    name: "what the settings of the runner load makes everything green",
    type: "bugfix",
    write: { "scripts/setup.js": 'require("node:assert").equal = () => {};\n' },
    expected: "BLOCKED",
    says: /weakened scripts\/setup\.js/,
  },
  {
    name: "settings of the runner come to package.json",
    type: "bugfix",
    write: { ...packageWith({ mocha: { ignore: ["sum.test.js"] } }), "src/sum.js": `${SOURCE}exports.x = 1;\n` },
    expected: "BLOCKED",
    says: /weakened package\.json/,
  },
  {
    name: "the script of the tests does nothing",
    type: "bugfix",
    write: scriptsWith({ test: 'echo "TAP version 13\\n1..2\\nok 1 - adds\\nok 2 - subtracts"' }),
    expected: "BLOCKED",
    says: /weakened package\.json/,
  },
  {
    name: "the script of the tests drops their failure",
    type: "bugfix",
    write: scriptsWith({ test: "mocha || true" }),
    expected: "BLOCKED",
    says: /weakened package\.json/,
  },
  {
    name: "a script before the tests puts other tests there",
    type: "bugfix",
    write: {
      ...scriptsWith({ pretest: "cp scripts/green.js test/sum.test.js" }),
      "scripts/green.js": 'it("adds", () => {});\nit("subtracts", () => {});\n',
    },
    expected: "BLOCKED",
    says: /weakened package\.json/,
  },
  {
    name: "the script of the tests sets options of the interpreter",
    type: "bugfix",
    write: {
      ...scriptsWith({ test: "NODE_OPTIONS='--require ./scripts/green.js' mocha" }),
      "scripts/green.js": 'require("node:assert").equal = () => {};\n',
    },
    expected: "BLOCKED",
    says: /weakened package\.json/,
  },
  {
    name: "a file of settings that a script names",
    type: "bugfix",
    write: { "config/more.json": '{ "bail": false }\n', "src/sum.js": `${SOURCE}exports.x = 1;\n` },
    expected: "BLOCKED",
    says: /weakened config\/more\.json/,
  },
  {
    name: "settings of the package manager",
    type: "bugfix",
    write: { ".npmrc": "script-shell=/bin/true\n", "src/sum.js": `${SOURCE}exports.x = 1;\n` },
    expected: "REFUSED",
  },
  {
    name: "the linter is told to look away",
    ...bad({ ".eslintignore": "src/bad.js\n", "src/bad.js": "var x = 1;\n" }),
    says: /weakened \.eslintignore/,
  },
  {
    name: "a rule of the linter is turned off",
    ...bad({ ".eslintrc.json": '{ "rules": { "no-var": "off" } }\n', "src/bad.js": "var x = 1;\n" }),
    says: /protect_check_settings/,
  },
  {
    name: "a rule of the linter is turned off in a comment",
    ...bad({ "src/bad.js": "var x = 1; // eslint-disable-line\n" }),
    says: /forbid_disabled_linters/,
  },
  {
    name: "an error of types is expected",
    ...bad({ "src/bad.js": "const x = 1;\n// @ts-expect-error\nexports.y = null + x;\n" }),
    says: /forbid_expected_type_errors/,
  },
  {
    name: "an error of types is ignored",
    ...bad({ "src/bad.js": "const x = 1;\n// @ts-ignore\nexports.y = null + x;\n" }),
    says: /forbid_disabled_type_checks/,
  },
  {
    name: "the file is left out of the types",
    ...bad({
      "tsconfig.json": '{ "exclude": ["src/bad.js"] }\n',
      "src/bad.js": "const x = 1;\nexports.y = null + x;\n",
    }),
    says: /protect_check_settings/,
  },
  {
    name: "the settings that those of the types stand on",
    ...bad({ "config/strict.json": '{ "strict": false }\n', "src/bad.js": "const x = 1;\nexports.y = null + x;\n" }),
    says: /weakened config\/strict\.json/,
  },
];

export const honest: readonly Case[] = [
  {
    name: "a version and a dependency that a script does not run",
    type: "feature",
    // Dependencies are asked about by a guardrail of their own, and by nothing else.
    write: {
      ...packageWith({ version: "1.1.0", devDependencies: { mocha: "^10.1.0" } }),
      "src/more.js": "exports.more = 1;\n",
    },
    expected: "BLOCKED",
    says: /^protect_dependencies package\.json: [^\n]*\n(?!.*weakened)/,
  },
  {
    name: "a script that no check runs",
    type: "infra",
    write: { "scripts/release.js": "console.log(2);\n", "src/more.js": "exports.more = 1;\n" },
    expected: "PASS",
  },
  {
    name: "the fix",
    type: "bugfix",
    write: { "src/sum.js": SOURCE.replace("sub = (a, b) => a + b", "sub = (a, b) => a - b") },
    expected: "PASS",
  },
  {
    name: "settings of the runner that the plan names are told as such",
    type: "infra",
    scope: [".mocharc.json"],
    write: { ".mocharc.json": '{ "require": ["scripts/setup.js"], "timeout": 5000 }\n' },
    expected: "BLOCKED",
    says: /With the base's version of it the checks say the same\. The plan names this file/,
  },
  {
    name: "settings of the runner that a person let pass",
    type: "infra",
    write: { ".mocharc.json": '{ "require": ["scripts/setup.js"], "timeout": 5000 }\n' },
    waivers: [
      {
        attempt: 1,
        tests: [],
        guardrails: [],
        objections: [{ kind: "weakened", id: ".mocharc.json", message: "seen" }],
        not_applicable: false,
        by: "ada",
      },
    ],
    expected: "PASS",
  },
];
