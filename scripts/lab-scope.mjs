// `npm run lab:scope -- REPO… [--commits N] [--json] [--list]`: how well the scope that words get fits what people really
// changed. The message of each commit is taken as a request (its title and the first paragraph below it), planned by
// template as of the commit's parent, and what the plan may write is compared with what the commit changed. Merges,
// reverts, releases and raised versions are left out. The repositories are only read.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { kindOfFile } from "../dist/hands/facts/file-kinds.js";
import { gitIn } from "../dist/hands/facts/git.js";
import { mentionFacts } from "../dist/hands/facts/mention-facts.js";
import { profileCommit } from "../dist/hands/facts/profile.js";
import { listTree } from "../dist/hands/facts/tree.js";
import { intake } from "../dist/mind/intake/intake.js";
import { IntakePolicy } from "../dist/model/intake-policy.js";
import { proposeFromTemplate } from "../dist/mind/propose/template/template-planner.js";
import { compileGlob } from "../dist/foundation/globs/glob.js";
import { Refused, parseWords, runScript } from "./lab/run-script.mjs";

const USAGE = "Usage: npm run lab:scope -- REPO… [--commits N] [--json] [--list]";
const TIME = "2026-02-03T04:05:06Z";
const policy = IntakePolicy.parse(parse(readFileSync(new URL("../policy/intake.yaml", import.meta.url), "utf8")));

const scratch = mkdtempSync(join(tmpdir(), "coordinator-scope-"));
await runScript(
  () => main(readArguments()),
  () => rmSync(scratch, { recursive: true, force: true }),
);

function readArguments() {
  const options = {
    commits: { type: "string", default: "40" },
    json: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  };
  const parsed = parseWords(options, USAGE);
  const { values, positionals } = parsed;
  if (positionals.length === 0 || !/^[1-9]\d*$/.test(values.commits)) throw new Refused(USAGE);
  return { ...values, commits: Number(values.commits), repositories: positionals.map((path) => resolve(path)) };
}

async function main({ repositories, commits, json, list }) {
  const rows = [];
  const left_out = { routine: 0, not_approved: 0, no_file: 0 };
  for (const repository of repositories) rows.push(...(await measure(repository, commits, left_out)));
  const table = ["all source", "narrowed", "no source", "all"].map((said) => summarise(said, rows));
  if (json) return console.log(JSON.stringify({ commits: rows.length, left_out, table, rows }));
  if (list) for (const row of rows) console.log(JSON.stringify(row));
  printTable(table);
  const { routine, not_approved, no_file } = left_out;
  console.log(`\n${rows.length} commits. Left out: ${routine} merges, reverts, releases and raised versions; `);
  console.log(`${not_approved} that intake does not approve as they are; ${no_file} that change no file.`);
}

async function measure(repository, commits, left_out) {
  const name = basename(repository) === "repo" ? basename(dirname(repository)) : basename(repository);
  const ask = (...args) => {
    try {
      return execFileSync("git", args, {
        cwd: repository,
        encoding: "utf8",
        maxBuffer: 1 << 28,
        stdio: ["ignore", "pipe", "pipe"],
      });
    } catch (error) {
      throw new Refused(`${repository}: git ${args[0]} failed: ${error.stderr ?? error.message}`);
    }
  };
  const log = ask("log", "--no-merges", `--max-count=${commits * 8}`, "--format=%H%x00%P%x00%s%x00%b%x01");
  const rows = [];
  for (const entry of log.split("\x01\n")) {
    if (rows.length === commits) break;
    const [commit, parent, subject = "", body = ""] = entry.split("\0");
    if (parent === undefined || !/^[0-9a-f]{40,64}$/.test(parent)) continue;
    if (isRoutine(subject)) left_out.routine++;
    else {
      const changed = ask("diff-tree", "-r", "-z", "--no-renames", "--no-commit-id", "--name-only", commit);
      const files = changed.split("\0").filter((path) => path !== "");
      const plan = files.length === 0 ? undefined : await planAt(repository, parent, requestOf(subject, body));
      if (plan === undefined) left_out.no_file++;
      else if (plan === null) left_out.not_approved++;
      else rows.push({ repository: name, commit, ...compare(plan, files) });
    }
  }
  return rows;
}

/** Routine that programs or release managers do, and nobody asks an agent for. */
function isRoutine(title) {
  return (
    /^(?:ci: )?(?:[\w@/-]+-v?\d+\.\d+\.\d+$|merge|revert|release|prepar(?:e|ing)|version packages|\[maven-release|v?\d+\.\d+)/i.test(
      title,
    ) ||
    /\bbump\b|\bupdate dependency\b|^(?:chore|build|ci|fix)\(deps/i.test(title) ||
    /^(?:chore|build)(?:\([^)]*\))?!?: (?:release|changesets?|version|publish)\b/i.test(title)
  );
}

/** The title and the first paragraph below it, without numbers of issues and who signed it. */
function requestOf(subject, body) {
  const title = subject.replace(/\s*\(#\d+\)\s*$/, "");
  const lines = body.split(/\r?\n\s*\r?\n/)[0].split(/\r?\n/);
  const own = lines.filter((line) => !/^(?:[A-Z][\w-]+-by|closes|fixes|refs?|see|pr|issue)\b.*[:#]/i.test(line));
  const paragraph = own.join("\n").trim();
  return paragraph === "" ? title : `${title}\n\n${paragraph}`;
}

async function planAt(repository, commit, text) {
  const request = { request_id: "550e8400-e29b-41d4-a716-446655440000", timestamp: TIME, user_request: text };
  const judged = intake(policy, request);
  if (judged.decision !== "approved") return null;
  const git = gitIn(repository, process.env);
  const cache = join(scratch, `${basename(dirname(repository))}-${basename(repository)}.txt`);
  const found = { ...(await profileCommit(git, commit)), ...(await mentionFacts(repository, commit, text, cache)) };
  const facts = { schema_version: "1.0.0", pack_id: "facts_lab0", project_id: "lab", collected_at: TIME, facts: found };
  const tree = (await listTree(git, commit)) ?? [];
  return { text, tree, proposal: proposeFromTemplate({ text, intake: judged, spec: null, facts }) };
}

function compare({ text, tree, proposal }, changed) {
  const scope = [...new Set(proposal.tasks.flatMap(({ files, tests }) => [...files, ...tests]))];
  const patterns = scope.map((pattern) => compileGlob(pattern));
  const isInside = (path) => patterns.some((matches) => matches(path));
  const source = changed.filter(isSource);
  const all = tree.filter(({ path }) => isSource(path));
  const notes = proposal.recommendations.filter((note) => / may write /.test(note));
  return {
    request: text,
    command: proposal.tasks[0]?.command_id,
    said: whatItSaid(notes),
    notes,
    scope,
    share: all.length === 0 ? 1 : all.filter(({ path }) => isInside(path)).length / all.length,
    source: source.length,
    source_inside: source.filter(isInside).length,
    changed: changed.length,
    outside: changed.filter((path) => !isInside(path)),
  };
}

function isSource(path) {
  return kindOfFile(path) === "source" && !/^_?(?:examples?|docs?|bench(?:marks)?|fixtures|samples)\//i.test(path);
}

function whatItSaid(notes) {
  if (notes.some((note) => / may write all source/.test(note))) return "all source";
  return notes.length > 0 ? "narrowed" : "no source";
}

function summarise(said, rows) {
  const own = rows.filter((row) => said === "all" || row.said === said);
  const changing = own.filter(({ source }) => source > 0);
  const shares = own.map(({ share }) => share).sort((a, b) => a - b);
  return {
    said,
    commits: own.length,
    change_source: changing.length,
    all_source_inside: changing.filter((row) => row.source_inside === row.source).length,
    no_source_inside: changing.filter((row) => row.source_inside === 0).length,
    whole_change_inside: own.filter(({ outside }) => outside.length === 0).length,
    median_share_of_source: shares[Math.floor(shares.length / 2)] ?? null,
  };
}

function printTable(table) {
  const percent = (part, whole) => (whole === 0 ? "–" : `${part} (${Math.round((100 * part) / whole)} %)`);
  console.log(
    "| planner said | commits | change source | all of it in scope | none of it | whole change fits | share of the source in scope, median |",
  );
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  for (const row of table) {
    const cells = [
      row.said,
      row.commits,
      row.change_source,
      percent(row.all_source_inside, row.change_source),
      percent(row.no_source_inside, row.change_source),
      percent(row.whole_change_inside, row.commits),
      row.median_share_of_source === null ? "–" : `${Math.round(100 * row.median_share_of_source)} %`,
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
