import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { CoordinatorResponse } from "../../src/model/request.js";
import { ensureBuilt } from "../build.js";
import { type Asked, asked } from "./asked.js";

/* One process works on several projects at once through the library. */

beforeAll(ensureBuilt);

const HOST = fileURLToPath(new URL("./library-host.mjs", import.meta.url));
const LIBRARY = pathToFileURL(fileURLToPath(new URL("../../dist/index.js", import.meta.url))).href;
const ASK = "Document src/reports.mjs in README.md";

interface Line {
  readonly type: string;
  readonly event?: { readonly type: string };
}

interface Ended {
  readonly response?: CoordinatorResponse;
  readonly error?: { readonly message: string; readonly code?: string; readonly fix?: string };
  readonly lines: readonly Line[];
}

interface Said {
  readonly ended: readonly Ended[];
  readonly started: readonly string[];
  readonly isAsBefore: boolean;
}

async function host(input: object, { cwd, env }: Pick<Asked, "cwd" | "env">): Promise<Said> {
  const child = spawn(process.execPath, [HOST], { cwd, env });
  child.stdin.end(JSON.stringify({ library: LIBRARY, ...input }));
  const [said, problem] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(problem).toBe("");
  return JSON.parse(said) as Said;
}

const keyOf = (i: number) => `key-of-project-${i}-${"abcdefghij".charAt(i).repeat(12)}`;

function project(i: number): Asked {
  const desk = asked(
    {
      "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
      "README.md": "# Reports\n",
      "src/reports.mjs": "export const reports = [];\n",
      "test/reports.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
      ".gitignore": ".coordinator/\n",
    },
    [
      i === 0
        ? { title: ASK, steps: [{ sleep: 600_000 }] }
        : { title: ASK, writes: { "README.md": `# Reports of project ${i}\n` } },
    ],
    { settings: { project: `project_${i}` } },
  );
  desk.env[`SERVICE_${i}_TOKEN`] = keyOf(i);
  return desk;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

const places = Array.from({ length: 10 }, (_, i) => i);

describe("one process", () => {
  it("works on ten projects at once, each with its own files, settings and secrets, and stops one without the others [S1-136]", async () => {
    const desks = places.map(project);
    const stranger = asked(null, []);
    const said = await host(
      {
        asked: desks.map((desk, i) => ({
          request: {
            request_id: `550e8400-e29b-41d4-a716-44665544000${i}`,
            timestamp: "2026-02-03T04:05:06Z",
            user_request: ASK,
            context: { project_path: desk.cwd },
            attachments: [{ type: "file", content: `The service wants ${keyOf(i)}.`, description: "A note" }],
          },
          options: { environment: desk.env, approved: true, type: "technical" },
          ...(i === 0 ? { abortAt: "attempt_started" } : {}),
        })),
      },
      stranger,
    );
    expect(said.ended.map(({ response, error }) => response?.status ?? error?.message)).toEqual([
      "enough",
      ...places.slice(1).map(() => "completed"),
    ]);
    expect(said.isAsBefore, "directory, variables and signal handlers of the process").toBe(true);
    expect(said.started.length).toBeGreaterThan(10);
    expect(said.started.filter((argv) => /cli[/\\]main/.test(argv))).toEqual([]);
    expect(existsSync(join(stranger.cwd, ".coordinator")), "nothing is written where the process stands").toBe(false);

    for (const [i, desk] of desks.entries()) {
      const types = said.ended[i]?.lines.map(({ type }) => type) ?? [];
      expect(types.slice(0, 3), `${i}`).toEqual(["version", "run", "event"]);
      const [run = "", ...others] = await desk.runs();
      expect(others).toEqual([]);
      for (const file of filesBelow(join(desk.cwd, ".coordinator"))) {
        const bytes = readFileSync(file, "latin1");
        for (const key of places.map(keyOf)) expect(bytes.includes(key), `${file}: ${key}`).toBe(false);
        for (const other of desks) if (other !== desk) expect(bytes.includes(other.cwd), file).toBe(false);
      }
      const [plan = ""] = readdirSync(join(desk.cwd, ".coordinator/plans"));
      const facts = readFileSync(join(desk.cwd, ".coordinator/plans", plan, "inputs/facts.json"), "utf8");
      expect(JSON.parse(facts)).toMatchObject({ project_id: `project_${i}` });
      if (i === 0) continue;
      expect(types.slice(-2)).toEqual(["end", "response"]);
      expect(desk.git("show", `refs/coord/${run}/head:README.md`)).toBe(`# Reports of project ${i}`);
      expect(said.ended[i]?.response).toMatchObject({ request_id: `550e8400-e29b-41d4-a716-44665544000${i}` });
    }
    // What was stopped waits in its log for somebody to resume it.
    const [stopped] = desks;
    expect(stopped?.json("status", "last")).toMatchObject({ status: "in_progress" });
  }, 900_000);

  it("says what is wrong with a project, and where, as an error of the request about it alone", async () => {
    const broken = asked({ "a.txt": "a\n", "governance/intake-policy.yaml": "policy_id: [\n" }, []);
    // Logs and keys that come with a clone are refused in the project that is named, wherever the process stands.
    const brought = asked({ "a.txt": "a\n", ".coordinator/redaction-salt": "known\n" }, []);
    const said = await host(
      {
        asked: [
          { request: requestFor(brought.cwd), options: { environment: brought.env } },
          { request: requestFor(join(broken.cwd, "nowhere")), options: { environment: broken.env } },
          { request: requestFor("desk"), options: { environment: broken.env, cwd: join(broken.cwd, "..") } },
          { request: requestFor(undefined), options: { environment: broken.env, cwd: join(broken.cwd, "nowhere") } },
        ],
      },
      asked(null, []),
    );
    expect(said.ended.map(({ error }) => error)).toMatchObject([
      { code: "REPOSITORY_UNSUITABLE", message: expect.stringContaining("redaction-salt") as unknown },
      { code: "FILE_NOT_FOUND", fix: "Check what context.project_path names." },
      { code: "DOCUMENT_INVALID", message: expect.stringContaining("governance/intake-policy.yaml") as unknown },
      { code: "FILE_NOT_FOUND", fix: "Check what cwd names." },
    ]);
    expect(said.ended.map(({ lines }) => lines.map(({ type }) => type))).toEqual(
      places.slice(0, 4).map(() => ["error"]),
    );
  });
});

function requestFor(project_path: string | undefined) {
  return {
    request_id: "550e8400-e29b-41d4-a716-446655440000",
    timestamp: "2026-02-03T04:05:06Z",
    user_request: ASK,
    ...(project_path === undefined ? {} : { context: { project_path } }),
  };
}
