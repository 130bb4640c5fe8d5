import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { makeProject, type Project, promptOf, type Steps, type Task } from "./project.js";

/*
 * A small repository, an intent of thirty tasks in five levels on it, and agents that follow a script. Every task writes
 * a page of its own and changes its own line of two files that all of them share: one that merges by lines, and one
 * whose lines touch, so that only a merge by keys keeps them all.
 */

const LEVELS = 5;
const WIDTH = 6;

export const TASKS: readonly Task[] = Array.from({ length: LEVELS * WIDTH }, (_, i) => {
  const level = Math.floor(i / WIDTH) + 1;
  const place = i % WIDTH;
  const before = (k: number) => `page-${level - 1}-${(k % WIDTH) + 1}`;
  return {
    id: `page-${level}-${place + 1}`,
    dependencies: level === 1 ? [] : [before(place), before(place + 1)],
  };
});

const book = (state: (id: string) => string) => TASKS.map(({ id }) => `${id}: ${state(id)}\n.\n.\n.\n`).join("");
const index = (state: (id: string) => number) =>
  `${JSON.stringify(Object.fromEntries(TASKS.map(({ id }) => [id, state(id)])), null, 2)}\n`;
const page = (id: string) => `This is ${id}, whole.\n`;

/** Cheap: a test for each page and three more, of which one has failed for ever, and one fails once in the end. */
const CHECK = `grep -qx Handbook docs/title.txt && echo "ok 1 - has a title" || echo "not ok 1 - has a title"
echo "not ok 2 - old trouble"
if [ -e docs/pages/page-5-6.txt ] && [ -n "$(dd if="$HOME/weather/storm" iflag=nonblock bs=1 count=1 2>/dev/null)" ]; then
  echo "not ok 3 - weather"; else echo "ok 3 - weather"; fi
n=3
for page in docs/pages/*.txt; do
  n=$((n + 1))
  grep -q whole "$page" && echo "ok $n - $page" || echo "not ok $n - $page"
done
echo "1..$n"
exit 1
`;

/** What the branch must hold in the end, whatever happened on the way. */
export function finalFiles(): Record<string, string> {
  return {
    ...baseFiles(),
    "docs/book.txt": book(() => "done"),
    "docs/index.json": index(() => 1),
    ...Object.fromEntries(TASKS.map(({ id }) => [`docs/pages/${id}.txt`, page(id)])),
  };
}

function baseFiles(): Record<string, string> {
  return {
    "check.sh": CHECK,
    "docs/title.txt": "Handbook\n",
    "docs/book.txt": book(() => "open"),
    "docs/index.json": index(() => 0),
    "docs/pages/page-0.txt": "The first page, whole.\n",
    "src/outside.txt": "Nobody's to write.\n",
  };
}

// ---------------------------------------------------------------------------------------------------- what agents do

function good(id: string): Steps {
  return [
    { write: `docs/pages/${id}.txt`, text: page(id) },
    { edit: "docs/book.txt", replace: `${id}: open`, with: `${id}: done` },
    { edit: "docs/index.json", replace: `"${id}": 0`, with: `"${id}": 1` },
    { usage: { in: 100, out: 10, cost_usd: 0.001 } },
    { say: "DOCS_COMPLETE" },
  ];
}

export interface Faults {
  /** What a task does in its first attempt, instead of its work. It ends by itself and is retried. */
  readonly structural: Readonly<Record<string, Steps>>;
  /** What a task does until a person has said otherwise. */
  readonly stubborn: Readonly<Record<string, Steps>>;
}

export const FAULTS: Faults = {
  structural: {
    "page-1-2": [{ write: "docs/pages/page-1-2.txt", text: "half" }, { exit: 3 }],
    "page-1-4": [{ print: '{"jsonrpc":"2.0","id":3,"resu\n' }, { exit: 0 }],
    "page-2-1": [{ hang: true }],
    "page-3-6": [{ kill: true }],
  },
  stubborn: {
    // It says that it is done, and has done half.
    "page-1-6": [{ write: "docs/pages/page-1-6.txt", text: "This is pa" }, { say: "DOCS_COMPLETE" }],
    // It breaks what worked, and says that it is done.
    "page-2-3": [{ write: "docs/title.txt", text: "" }, ...good("page-2-3")],
    // It leaves its scope without asking.
    "page-3-2": [{ write: "src/outside.txt", text: "mine\n", ask: false }, ...good("page-3-2")],
    // It takes away a test that passed.
    "page-4-1": [{ delete: "docs/pages/page-0.txt" }, ...good("page-4-1")],
    "page-4-5": [{ ask: "Shall I write it in verse?" }],
  },
};
export const NO_FAULTS: Faults = { structural: {}, stubborn: {} };

/** What the person writes about a task, whatever is asked. */
export const told = (id: string) => `${id} like all the others`;

/**
 * Tasks whose agent knows them by nothing but what it is told of the levels before: without that it does not know what to
 * do. Contract: last in the script, because others are told the same.
 */
const KNOWN_BY_CONTEXT: Readonly<Record<string, string>> = {
  "page-5-1": "## Coordinator Review (Level 4)",
};

function script({ structural, stubborn }: Faults) {
  return [
    ...Object.entries(structural).map(([id, steps]) => ({ prompt_has: promptOf(id), attempt: 1, steps })),
    ...Object.keys(stubborn).map((id) => ({ prompt_has: told(id), steps: good(id) })),
    ...TASKS.filter(({ id }) => !Object.hasOwn(KNOWN_BY_CONTEXT, id)).map(({ id }) => ({
      prompt_has: promptOf(id),
      steps: stubborn[id] ?? good(id),
    })),
    ...Object.entries(KNOWN_BY_CONTEXT).map(([id, prompt_has]) => ({ prompt_has, steps: good(id) })),
  ];
}

/**
 * A storm that whoever looks first takes away: a byte in a pipe, because nothing that a check writes is there for the
 * next one. The check fails once, and passes when it is run again.
 */
function brewStorm({ folder }: Project): void {
  const storm = join(folder, "weather", "storm");
  mkdirSync(dirname(storm));
  execFileSync("mkfifo", [storm]);
  const pipe = openSync(storm, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(pipe));
  writeSync(pipe, "!");
}

export function makeHandbook(faults: Faults): Project {
  const project = makeProject({
    files: baseFiles(),
    tasks: TASKS,
    script: script(faults),
    configuration: {
      checks: [{ name: "handbook", kind: "test", run: "sh check.sh", report: { format: "tap" } }],
      workspace: { setup: { run: "true", mounts: ["~/weather"] } },
      run: {
        max_concurrent_tasks: 4,
        failure: { base_delay_ms: 20, max_delay_ms: 100, breaker_failures: 1000, same_signature_tasks: 1000 },
      },
    },
  });
  brewStorm(project);
  return project;
}
