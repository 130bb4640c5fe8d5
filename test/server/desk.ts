import { findAbilities } from "../../src/hands/sandbox/grade.js";
import type { Step } from "../../src/hands/agents/scripted/script.js";
import { type Asked, asked } from "../e2e/asked.js";
import { type Served, until } from "./served.js";

/* A small project with an agent that follows a script, and a request that it carries out. */

export const ASK = "Document src/reports.mjs in README.md";

export function desk(
  steps?: readonly Step[],
  settings: object = {},
  more: { readonly atEnd?: (act: () => void) => void } = {},
): Asked {
  return asked(
    {
      "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
      "README.md": "# Reports\n",
      "src/reports.mjs": "export const reports = [];\n",
      "test/reports.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
      ".gitignore": ".coordinator/\n",
    },
    [steps === undefined ? { title: ASK, writes: { "README.md": "# Reports, documented\n" } } : { title: ASK, steps }],
    { settings, ...more },
  );
}

/** The id of the one project of a server. */
export async function projectOf({ ask }: Served): Promise<string> {
  return (await ask("/projects")).json.projects[0].id as string;
}

/** Submit the request and wait until its plan waits for approval. */
export async function submitted(served: Served, text = ASK): Promise<{ project: string; run: string; entry: string }> {
  const project = await projectOf(served);
  const sent = await served.ask(`/projects/${project}/requests`, { body: { text, type: "technical" } });
  if (sent.status !== 202) throw new Error(sent.text);
  const { request_id } = sent.json as { request_id: string };
  const ended = await until(async () => {
    const { json } = await served.ask(`/projects/${project}/requests/${request_id}`);
    return json.state === "ended" ? (json as { run_id: string }) : null;
  });
  const entry = await until(async () => {
    const { json } = await served.ask("/inbox");
    return json.entries.find(({ run_id }: { run_id: string }) => run_id === ended.run_id) as { id: string } | undefined;
  });
  return { project, run: ended.run_id, entry: entry.id };
}

/** Contract: throws at once where no attempt can begin, instead of waiting for one. */
export function approve(served: Served, project: string, run: string, entry: string) {
  const { grade, reasons, fix } = findAbilities();
  if (grade === "none") throw new Error(`Attempts need a sandbox: ${reasons.join("; ")}. ${fix.join("; ")}`);
  return served.ask(`/projects/${project}/runs/${run}/decisions`, {
    body: { entry_id: entry, decision: { kind: "approve" } },
  });
}

/** Wait until a run has this status. */
export function standing(served: Served, project: string, run: string, status: string) {
  let last: unknown = null;
  return until(
    async () => {
      const { json } = await served.ask(`/projects/${project}/runs/${run}`);
      last = json;
      return json.status === status ? (json as Record<string, unknown>) : null;
    },
    () => last,
    120_000,
  );
}
