import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStatement, type Envelope } from "../../src/app/merge/merge-statement.js";
import { openRecords } from "../../src/hands/attempts/run-records.js";
import type { RunGate } from "../../src/model/run.js";
import { publicKeyOf } from "../../src/app/project/open-runs.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import { planRef, runTask } from "../../src/testing/run-fixtures.js";
import { coordinator, coordinatorJson, workFolder } from "./program.js";
import { AUTO, ended, Log, project, storeIn } from "./run-logs.js";

const RUN = "run_of_a_merge";
const identity = ["-c", "user.name=ada", "-c", "user.email=ada@localhost"];

interface Prepared {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly git: (...args: string[]) => string;
  readonly base: string;
  readonly head: string;
}

/** A finished run of one task on a real repository: `src/a.txt` got a line, and nothing of the person's was touched. */
async function prepared(
  settings: {
    log?: (head: string) => Log;
    reviews?: readonly RunGate[];
    checks?: readonly Record<string, string>[];
  } = {},
): Promise<Prepared> {
  const cwd = workFolder();
  const env = { XDG_STATE_HOME: workFolder(), HOME: cwd };
  const git = (...args: string[]) =>
    execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  const put = (path: string, text: string) => writeFileSync(join(cwd, path), text);
  git("init", "-q", "-b", "main");
  put(".gitignore", ".coordinator/\n");
  put("coordinator.yaml", JSON.stringify({ checks: settings.checks ?? [{ name: "there", run: "test -s a.txt" }] }));
  put("a.txt", "one\ntwo\nthree\n");
  put("b.txt", "one\n");
  git("add", ".");
  git("commit", "-q", "-m", "start");
  const base = git("rev-parse", "HEAD");
  git("checkout", "-q", "-b", "elsewhere");
  put("a.txt", "one\ntwo\nthree, as the run says\n");
  git("commit", "-qam", "the run");
  const head = git("rev-parse", "HEAD");
  git("checkout", "-q", "main");
  git("branch", "-q", "-D", "elsewhere");
  git("update-ref", `refs/coord/${RUN}/head`, head);
  const store = await storeIn(cwd);
  const log = settings.log ?? ((ref) => new Log().open(planRef([runTask("A")]), AUTO).finish("A", 1, ref));
  await log(head).writeTo(store, RUN);
  await store.close();
  const records = openRecords(join(stateFolder(cwd).folder, "records", RUN));
  await records.write("base", { commit: base, branch: "main" });
  if (settings.reviews !== undefined) await records.write("reviews before merge", settings.reviews);
  return { cwd, env, git, base, head };
}

const commitOf = ({ cwd, git }: Prepared, file: string, text: string) => {
  writeFileSync(join(cwd, file), text);
  git("commit", "-qam", `change ${file}`);
};

describe("coordinator merge", () => {
  it("moves the branch forward with its files, and signs what it is made of", async () => {
    const at = await prepared();
    const { code, json } = await coordinatorJson(["merge", "last", "--by", "ada"], at);
    expect([code, json["how"], json["into"], json["to"]]).toEqual([0, "fast_forward", "main", at.head]);
    expect(at.git("rev-parse", "main")).toBe(at.head);
    expect(at.git("status", "--porcelain")).toBe("");
    expect(readFileSync(join(at.cwd, "a.txt"), "utf8")).toContain("as the run says");
    const envelope = JSON.parse(at.git("notes", "--ref=coord", "show", at.head)) as Envelope;
    expect(openStatement(envelope, publicKeyOf(stateFolder(at.cwd))?.pem ?? "")).toMatchObject({
      subject: [{ name: "main", digest: { gitCommit: at.head } }],
      predicate: {
        run_id: RUN,
        base: at.base,
        plan_checksum: "a".repeat(64),
        tasks: [{ task_id: "A", status: "completed", agent: "agent_a", verdict: "PASS" }],
        by: "ada",
      },
    });
    const forged = { ...envelope, payload: Buffer.from("{}").toString("base64") };
    expect(openStatement(forged, publicKeyOf(stateFolder(at.cwd))?.pem ?? "")).toBeNull();
    expect((await coordinatorJson(["merge", "last"], at)).json).toMatchObject({ how: "already" });
  });

  it("makes a merge where the branch moved cleanly, proven again, and where one is wanted", async () => {
    const at = await prepared({ checks: [{ name: "sound", run: "! grep -q broken b.txt" }] });
    commitOf(at, "b.txt", "one\nmine\n");
    const mine = at.git("rev-parse", "main");
    const { code, json } = await coordinatorJson(["merge", RUN, "--yes"], at);
    expect([code, json["how"]]).toEqual([0, "merge_commit"]);
    expect(json["verdict"]).toMatchObject({ verdict: "PASS" });
    expect(at.git("rev-parse", "main^1", "main^2")).toBe(`${mine}\n${at.head}`);
    expect(readFileSync(join(at.cwd, "b.txt"), "utf8") + readFileSync(join(at.cwd, "a.txt"), "utf8")).toBe(
      "one\nmine\none\ntwo\nthree, as the run says\n",
    );
    const other = await prepared();
    await coordinator(["merge", RUN, "--no-ff"], other);
    expect(other.git("rev-parse", "main^1", "main^2")).toBe(`${other.base}\n${other.head}`);
  });

  it.each([
    ["a conflict", "a.txt", "one\ntwo\nthree, as I say\n", 4, "conflicts in a.txt"],
    ["checks that fail together", "b.txt", "one\n", 5, "the checks do not pass"],
  ])("refuses %s and moves nothing", async (_, file, text, exit, reason) => {
    const at = await prepared({ checks: [{ name: "sound", run: "! (grep -q run a.txt && test -e c.txt)" }] });
    if (file === "b.txt") {
      writeFileSync(join(at.cwd, "c.txt"), "c\n");
      at.git("add", "c.txt");
      at.git("commit", "-qm", "c");
    } else commitOf(at, file, text);
    const before = at.git("for-each-ref", "refs/heads", "refs/notes");
    const { code, stdout } = await coordinator(["merge", RUN], at);
    expect(code).toBe(exit);
    expect(stdout).toContain(reason);
    expect(stdout).toContain("Nothing of yours was changed.");
    expect(at.git("for-each-ref", "refs/heads", "refs/notes")).toBe(before);
    expect(at.git("status", "--porcelain")).toBe("");
  });

  it("keeps local changes it would overwrite, and does not mind those it would not", async () => {
    const at = await prepared();
    writeFileSync(join(at.cwd, "a.txt"), "mine, not committed\n");
    const refused = await coordinator(["merge", RUN], at);
    expect([refused.code, at.git("rev-parse", "main")]).toEqual([4, at.base]);
    expect(refused.stdout).toContain("local changes");
    expect(readFileSync(join(at.cwd, "a.txt"), "utf8")).toBe("mine, not committed\n");
    at.git("checkout", "-q", "a.txt");
    writeFileSync(join(at.cwd, "b.txt"), "mine, not committed\n");
    expect((await coordinator(["merge", RUN], at)).code).toBe(0);
    expect(readFileSync(join(at.cwd, "b.txt"), "utf8")).toBe("mine, not committed\n");
  });

  it("asks for the reviews of the plan, and for an order to take what is not whole", async () => {
    const log = (head: string) =>
      new Log()
        .open(planRef([runTask("A"), runTask("B")]), AUTO)
        .finish("A", 1, head)
        .take(ended("B", 1, { kind: "quality", message: "no" }));
    const at = await prepared({
      log,
      reviews: [{ gate_id: "node_review_x", category: "security", reviewers: ["grace"] }],
    });
    const partial = await coordinator(["merge", RUN], at);
    expect([partial.code, partial.stdout]).toEqual([4, expect.stringContaining("1 of 2 tasks is not done: B")]);
    const unreviewed = await coordinator(["merge", RUN, "--partial", "--by", "mallory"], at);
    expect([unreviewed.code, unreviewed.stdout]).toEqual([4, expect.stringContaining("security by grace")]);
    // Nobody becomes a reviewer by saying so.
    const pretended = await coordinator(["merge", RUN, "--partial", "--by", "mallory", "--as", "grace"], at);
    expect([pretended.code, pretended.stderr]).toEqual([4, expect.stringContaining("ROLE_NOT_HELD")]);
    expect(at.git("rev-parse", "main")).toBe(at.base);
    const { code, json } = await coordinatorJson(["merge", RUN, "--partial", "--by", "grace"], at);
    expect([code, json["reviews"]]).toEqual([0, [{ gate_id: "node_review_x", by: "grace" }]]);
  });

  it("a role is used by those the settings name for it, and by nobody before somebody is named", async () => {
    const reviews = [{ gate_id: "node_review_x", category: "architecture", reviewers: ["architecture_reviewer"] }];
    const at = await prepared({ reviews });
    const asRole = ["merge", RUN, "--as", "architecture_reviewer"];
    const unnamed = await coordinator(asRole, at);
    expect([unnamed.code, unnamed.stderr]).toEqual([4, expect.stringContaining("Nobody is named who holds the role")]);
    expect(unnamed.stderr).toContain("reviewers: { architecture: [NAME] }");
    const silent = await coordinator(["merge", RUN], at);
    expect([silent.code, silent.stdout]).toEqual([4, expect.stringContaining("reviewers: { architecture: [NAME] }")]);
    writeFileSync(join(at.cwd, "coordinator.yaml"), "reviewers: { architecture: [Grace, heidi@example.org] }\n");
    const other = await coordinator([...asRole, "--by", "mallory"], at);
    expect([other.code, other.stderr]).toEqual([4, expect.stringContaining("held by Grace, heidi@example.org")]);
    expect(at.git("rev-parse", "main")).toBe(at.base);
    // Git's address is as good as a name, and whoever holds the role need not say so.
    at.git("config", "user.email", "heidi@example.org");
    const { code, json } = await coordinatorJson(["merge", RUN], at);
    expect([code, json["reviews"]]).toEqual([0, [{ gate_id: "node_review_x", by: "architecture_reviewer" }]]);
  });

  it("makes a branch for a pull request and moves none; moves one nobody has checked out", async () => {
    const at = await prepared();
    const made = await coordinatorJson(["merge", RUN, "--export-branch", "report-export"], at);
    expect([made.code, at.git("rev-parse", "report-export"), at.git("rev-parse", "main")]).toEqual([
      0,
      at.head,
      at.base,
    ]);
    at.git("branch", "taken");
    const taken = await coordinator(["merge", RUN, "--export-branch", "taken"], at);
    expect([taken.code, at.git("rev-parse", "taken")]).toEqual([4, at.base]);
    expect((await coordinator(["merge", RUN, "--into", "taken"], at)).code).toBe(0);
    expect([at.git("rev-parse", "taken"), at.git("rev-parse", "main")]).toEqual([at.head, at.base]);
    expect((await coordinator(["merge", RUN, "--into", "nowhere"], at)).stdout).toContain("There is no branch nowhere");
  });
});

describe("coordinator diff", () => {
  it("shows a run's change as a patch that applies, as numbers, and as a summary", async () => {
    const at = await prepared();
    const { code, stdout } = await coordinator(["diff", RUN], at);
    expect(code).toBe(0);
    execFileSync("git", ["apply", "--check", "-"], { cwd: at.cwd, input: stdout });
    const { json } = await coordinatorJson(["diff", RUN], at);
    expect(json).toMatchObject({ from: at.base, to: at.head, files: [{ path: "a.txt", added: 1, removed: 1 }] });
    expect((await coordinator(["diff", RUN, "--stat"], at)).stdout).toContain("a.txt | 2 +-");
  });

  it("runs nothing the repository configures", async () => {
    const at = await prepared();
    writeFileSync(join(at.cwd, ".gitattributes"), "*.txt diff=evil\n");
    at.git("config", "diff.evil.textconv", `touch ${join(at.cwd, "ran")};cat`);
    at.git("config", "diff.external", `touch ${join(at.cwd, "ran")};cat`);
    expect((await coordinator(["diff", RUN], at)).stdout).toContain("+three, as the run says");
    expect(existsSync(join(at.cwd, "ran"))).toBe(false);
  });

  it("says what is wrong with what it was asked", async () => {
    const at = await prepared();
    const task = await coordinatorJson(["diff", RUN, "Z"], at);
    expect([task.code, task.json["fix"]]).toEqual([2, "Its tasks are A."]);
    expect((await coordinatorJson(["diff", RUN, "A"], at)).json).toMatchObject({ from: at.base, to: at.head });
    expect((await coordinatorJson(["diff", "run_none"], at)).code).toBe(2);
  });
});

describe("coordinator retry", () => {
  const blocked = () =>
    new Log()
      .open(planRef([runTask("A"), runTask("B"), runTask("C", { dependencies: ["A"] })]), AUTO)
      .take(
        ended("A", 1, { kind: "quality", message: "two links lead nowhere" }),
        ended("B", 1, { kind: "clarification", question: "Which?" }),
      );

  it("orders another attempt of a task that is blocked, with another agent and a word about it", async () => {
    const cwd = await project({ [RUN]: blocked() });
    writeFileSync(join(cwd, "coordinator.yaml"), "agents: { own: { preset: scripted } }\n");
    const asked = await coordinatorJson(["retry", RUN, "A"], { cwd });
    expect([asked.code, asked.json["fix"]]).toEqual([2, expect.stringContaining("retry run_of_a_merge A --approve")]);
    const unknown = await coordinatorJson(["retry", RUN, "A", "--approve", "--agent", "nobody"], { cwd });
    expect([unknown.code, unknown.json["code"]]).toEqual([2, "NOT_FOUND"]);
    const args = ["retry", RUN, "A", "--approve", "--agent", "own", "--note", "mend the links", "--by", "ada"];
    const { code, json } = await coordinatorJson(args, { cwd });
    expect([code, json["status"], json["decided"]]).toEqual([0, "taken", "retry ordered"]);
    const { json: now } = await coordinatorJson(["replay", RUN, "--events"], { cwd });
    expect(JSON.stringify(now)).toContain("mend the links");
    const again = await coordinatorJson(args, { cwd });
    expect([again.code, again.json["message"]]).toEqual([2, "A is in progress and waits on no escalation"]);
  });

  it.each([
    ["B", "It waits on something else: coordinator answer"],
    ["C", "Only a task that is blocked on an escalation"],
    ["D", "Its tasks are A, B, C."],
  ])("says why %s cannot be tried again", async (task, fix) => {
    const cwd = await project({ [RUN]: blocked() });
    const { code, json } = await coordinatorJson(["retry", RUN, task, "--approve"], { cwd });
    expect([code, json["fix"]]).toEqual([2, expect.stringContaining(fix)]);
  });
});
