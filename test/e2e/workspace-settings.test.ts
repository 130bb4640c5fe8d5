import { beforeAll, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { toTheEnd } from "./lives.js";
import { makeProject, promptOf, type Task } from "./project.js";

/* What `coordinator.yaml` says of workspaces, seen from inside of them: by agents, by setup and by checks. */

const TASKS: readonly Task[] = [
  { id: "page-a", dependencies: [] },
  { id: "page-b", dependencies: ["page-a"] },
  { id: "page-c", dependencies: ["page-a"] },
  { id: "page-d", dependencies: ["page-b", "page-c"] },
];

/** Fails where anything is not as it was ordered: the environment, the ports, or what setup made of the tree's own lock. */
const CHECK = `echo 1..4
[ "$CI" = 1 ] && [ -z "$E2E_SECRET$NODE_OPTIONS" ] && echo "ok 1 - environment" || echo "not ok 1 - environment"
[ "$COORDINATOR_PORTS" = "$COORDINATOR_PORT-$((COORDINATOR_PORT + 4))" ] && echo "ok 2 - ports" || echo "not ok 2 - ports"
[ -s made/stamp ] && echo "ok 3 - is set up" || echo "not ok 3 - is set up"
cmp -s made/lock docs/lock.txt && echo "ok 4 - is set up for this tree" || echo "not ok 4 - is set up for this tree"
`;

/** What an agent finds in its workspace goes into its page. */
const REPORT = `echo "$COORDINATOR_TASK $COORDINATOR_ATTEMPT $COORDINATOR_PORTS $(cat made/stamp) $E2E_SECRET" > docs/$1.txt\n`;

beforeAll(ensureBuilt);

it("gives every workspace its own ports, sets it up once for each lock, and tells checks nothing of this machine", async () => {
  const project = makeProject({
    files: { "check.sh": CHECK, "report.sh": REPORT, "docs/lock.txt": "1\n" },
    tasks: TASKS,
    script: TASKS.map(({ id }) => ({
      prompt_has: promptOf(id),
      steps: [
        { run: `sh report.sh ${id}` },
        ...(id === "page-d" ? [{ write: "docs/lock.txt", text: "2\n" }] : []),
        { say: "DOCS_COMPLETE" },
      ],
    })),
    configuration: {
      checks: [{ name: "check", kind: "test", run: "sh check.sh", report: { format: "tap" } }],
      scope: { commands: ["sh report.sh *"] },
      workspace: {
        ports: { first: 20_000, each: 5 },
        setup: {
          run: "mkdir -p made && cp docs/lock.txt made/lock && od -An -N8 -tx1 /dev/urandom | tr -d ' ' > made/stamp",
          inputs: ["docs/lock.txt"],
          keeps: ["made"],
        },
      },
    },
  });
  const ended = await toTheEnd(project, [], 1);
  const seen = TASKS.map(({ id }) =>
    project.git("show", `refs/coord/${ended.run_id}/head:docs/${id}.txt`).trim().split(" "),
  );
  expect(seen.map(([task, attempt]) => [task, attempt])).toEqual(TASKS.map(({ id }) => [id, "1"]));
  const ports = seen.map(([, , range]) => range);
  expect(new Set(ports).size, "no two workspaces have the same ports").toBe(TASKS.length);
  for (const range of ports) expect(range).toMatch(/^20\d\d[05]-20\d\d[49]$/);
  const [, b, c, d] = seen.map(([, , , stamp]) => stamp);
  expect(b, "what was kept is what the next ones get").toMatch(/^[0-9a-f]{16}$/);
  expect([c, d]).toEqual([b, b]);
  expect(seen.every((words) => words.length === 4)).toBe(true);
  const verdicts = ended.events.filter(({ type }) => type === "verification_finished");
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(TASKS.map(() => "PASS"));
  expect(verdicts.every(({ evidence }) => !String(evidence).includes("failed before"))).toBe(true);
});
