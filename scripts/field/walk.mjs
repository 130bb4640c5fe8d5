// One repository from `init` to a merged branch, in a copy of the clone that is given.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseDocument } from "yaml";
import { chooseCommit, readNamed } from "./choose-commit.mjs";
import { installPackages, kindOfRepository } from "./ecosystem.mjs";
import { answerAll } from "./person.mjs";
import { AGENT, coordinatorIn, gitIn } from "./program.mjs";
import { realChange, withSyntaxError, withTurnedAssertion } from "./variants.mjs";

/** Walks through one clone and gives the outcome. Contract: the clone itself is only read. */
export function walk(clone, place, { commit: named, install, minutes }) {
  const row = { repository: basename(clone), kind: "?", notes: [] };
  const cwd = join(place, row.repository);
  mkdirSync(place, { recursive: true });
  cpSync(clone, cwd, { recursive: true, verbatimSymlinks: true });
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(place, "state"),
    XDG_CONFIG_HOME: join(place, "config"),
    GIT_AUTHOR_NAME: "Field",
    GIT_AUTHOR_EMAIL: "field@localhost",
    GIT_COMMITTER_NAME: "Field",
    GIT_COMMITTER_EMAIL: "field@localhost",
  };
  const git = gitIn(cwd, env);
  const coordinator = coordinatorIn({ cwd, env, minutes });
  const commit = named === undefined ? chooseCommit(git) : readNamed(git, named);
  if (commit === null) return { ...row, notes: ["no suitable commit: name one with --commit"] };
  git("checkout", "--quiet", "--force", "-B", "field-walk", `${commit.hash}^`);
  Object.assign(row, { kind: kindOfRepository(cwd), commit: commit.hash.slice(0, 10), request: commit.request });
  if (install) row.notes.push(...installPackages(cwd, { env, minutes }));

  const script = join(place, "script.json");
  const init = coordinator("init", "--agent", "scripted", "--yes");
  row.init_seconds = init.seconds;
  if (init.code !== 0) return { ...row, notes: [...row.notes, `init: ${init.last.message ?? `exit ${init.code}`}`] };
  nameAgent(join(cwd, "coordinator.yaml"), script);
  writeFileSync(script, JSON.stringify(scriptOf([])));
  env.COORDINATOR_TRUST_FILE = trustAsPipelinesDo(join(place, "trusted.txt"), coordinator);
  row.doctor = doctorLines(coordinator("doctor"));
  git("add", "-A");
  // Hooks of the project may want programs that are not here; they are not part of the walk.
  git("commit", "--quiet", "--no-verify", "-m", "Settings of the coordinator");

  const change = realChange(git, commit);
  const real = attempt({ cwd, coordinator, script, request: commit.request, minutes }, change, true);
  row.run = real;
  for (const [name, harm] of [
    ["syntax", withSyntaxError(change)],
    ["assertion", withTurnedAssertion(git, commit, change)],
  ])
    row[name] =
      harm === null
        ? null
        : {
            what: harm.what,
            ...attempt({ cwd, coordinator, script, request: commit.request, minutes }, harm.files, false),
          };
  Object.assign(row, merge(coordinator, git, real));
  return row;
}

/** Where nobody can be asked, a file outside of the repository says which content is trusted. */
function trustAsPipelinesDo(file, coordinator) {
  writeFileSync(file, `${coordinator("trust", "--show").last.hash}\n`);
  return file;
}

/** The settings a person has to write: who works, and what that program reads. The script lies outside of the repository. */
function nameAgent(file, script) {
  const settings = parseDocument(readFileSync(file, "utf8"));
  const tools = settings.getIn(["workspace", "tools"])?.toJSON() ?? [];
  settings.setIn(["workspace", "tools"], [...tools, script]);
  settings.setIn(["agents"], {
    scripted: { preset: "scripted", command: [process.execPath, AGENT, "--script", script] },
  });
  settings.set("default_agent", "scripted");
  writeFileSync(file, settings.toString({ lineWidth: 0 }));
}

function doctorLines({ last, seconds, code }) {
  const told = (last.checks ?? []).map(({ name, status, detail }) => ({ name, status, detail }));
  const tried = (last.tried?.lines ?? []).map(({ name, status, detail }) => ({ name, status, detail }));
  return { ready: last.ready ?? false, code, seconds, lines: told, tried };
}

/** A run whose agent writes these files, and its verdict with what proves it. */
function attempt({ cwd, coordinator, script, request }, files, isReal) {
  writeFileSync(script, JSON.stringify(scriptOf(files)));
  const began = performance.now();
  const { first, said } = ask(coordinator, request);
  const runId = first.documents.find(({ type }) => type === "run")?.run_id ?? null;
  if (runId === null) return { verdict: null, seconds: first.seconds, open: first.last.message ?? lastLine(first) };
  const decided = isReal ? answerAll(coordinator, runId) : { answers: [], open: null, streams: [] };
  const { open, streams } = decided;
  const answers = [...said, ...decided.answers];
  const events = [first, ...streams].flatMap(({ documents }) => documents.flatMap(({ event }) => event ?? []));
  if (!isReal && (coordinator("inbox").last.entries ?? []).length > 0) coordinator("cancel", runId, "--yes");
  const end = [first, ...streams].at(-1);
  const { last: response } = coordinator("response", runId);
  return {
    run_id: runId,
    ...verdictOf(events, cwd, runId),
    status: response.status ?? null,
    says: response.message ?? null,
    tasks: end.documents.find(({ type }) => type === "end")?.tasks ?? null,
    answers,
    open: open ?? (end.code === 0 || !isReal ? null : (end.last.message ?? null)),
    seconds: (performance.now() - began) / 1000,
  };
}

/** The subject of a commit is an instruction for developers: where a rule takes it for a wish, the person says so once. */
function ask(coordinator, request) {
  const first = coordinator("run", request, "--yes");
  const requestId = first.last.fix?.match(/\breq_[\w-]+/)?.[0];
  const isTakenForAWish = (first.last.problems ?? []).some(({ path }) => path === "acceptance");
  if (requestId === undefined || !isTakenForAWish) return { first, said: [] };
  coordinator("answer", "acceptance", "t", "--run", requestId);
  return { first: coordinator("run", "--resume", requestId, "--yes"), said: ["said it is a technical instruction"] };
}

/** The builder writes everything; anyone who is asked for tests or documents afterwards finds them written. */
function scriptOf(files) {
  const stepsFor = (kinds) =>
    files
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ path, text }) => (text === null ? { delete: path } : { write: path, text }));
  const done = { say: "Done." };
  return {
    tasks: [
      { prompt_has: "Your task: Write tests:", steps: [...stepsFor(["test"]), done] },
      { prompt_has: "Your task: Document:", steps: [...stepsFor(["document"]), done] },
    ],
    otherwise: [...stepsFor(["source", "test", "document", "other"]), done],
  };
}

/** Of the task that makes the change: what comes after it adds nothing that could be right or wrong. */
function verdictOf(events, cwd, runId) {
  const judged = events.filter(({ type }) => type === "verification_finished");
  const task = judged[0]?.task_id;
  const last = judged.findLast(({ task_id: id }) => id === task);
  if (last === undefined) return { verdict: null, cause: null, evidence: null, checks: [] };
  return {
    verdict: last.verdict,
    evidence: last.evidence.replace(/ \[sha256:\w+\]$/, "").slice(0, 300),
    ...proofIn(cwd, runId, task),
  };
}

/** Outcomes of the checks on the result, counted from the record of its last verdict. */
function proofIn(cwd, runId, task) {
  const folder = join(cwd, ".coordinator", "records", runId);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const name = names.findLast((each) => decodeURIComponent(each).startsWith(`verdict ${task}#`));
  if (name === undefined) return { cause: null, checks: [] };
  const { results, pre_existing, objections = [] } = JSON.parse(readFileSync(join(folder, name), "utf8"));
  const checks = results.map(({ check, exit_code, findings }) => ({
    check,
    exit_code,
    passed: findings.filter(({ status }) => status === "passed").length,
    failed_before: pre_existing.filter((each) => each.check === check).length,
  }));
  return { cause: objections[0]?.kind ?? null, checks };
}

function merge(coordinator, git, { run_id: runId, verdict }) {
  if (runId === undefined || verdict !== "PASS") return { merged: false };
  const before = git("rev-parse", "field-walk");
  let done = coordinator("merge", runId);
  const { message, reason, fix } = done.last;
  const reviewers = [message, reason, fix].join(" ").match(/--as \w+/g) ?? [];
  if (done.code !== 0 && reviewers.length > 0)
    done = coordinator("merge", runId, ...reviewers.flatMap((each) => each.split(" ")));
  const merged = done.code === 0 && git("rev-parse", "field-walk") !== before;
  return {
    merged,
    merge_seconds: done.seconds,
    ...(merged ? {} : { merge_says: done.last.reason ?? done.last.message ?? lastLine(done) }),
  };
}

function lastLine({ stdout, stderr }) {
  return `${stdout}\n${stderr}`.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
}
