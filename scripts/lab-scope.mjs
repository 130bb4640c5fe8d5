// `npm run lab:scope -- REPO… [--commits N] [--json] [--list]`: how well the scope that words get fits what people really
// changed. The message of each commit is taken as a request, planned by template on the commit's parent, and the files it
// may write are compared with the files of the commit. Merges, reverts, releases and raised versions are left out. The
// repositories are only read.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "yaml";
const DIST = process.env.SCOPE_DIST ?? "../dist";
const { intake } = await import(`${DIST}/intake/intake.js`);
const { IntakePolicy } = await import(`${DIST}/model/request.js`);
const { compileGlob } = await import(`${DIST}/rules/glob.js`);
const { gitIn } = await import(`${DIST}/facts/git.js`);
const { profileCommit } = await import(`${DIST}/facts/profile.js`);
const { mentionFacts } = await import(`${DIST}/facts/mention-facts.js`).catch(() => ({
  mentionFacts: async () => ({}),
}));
const { LANGUAGES, TEST_FILES } = await import(`${DIST}/facts/signs.js`);
const { proposeFromTemplate } = await import(`${DIST}/planner/template/template-planner.js`);

const USAGE = "Usage: npm run lab:scope -- REPO… [--commits N] [--json] [--list]";
const policy = IntakePolicy.parse(parse(readFileSync(new URL("../policy/intake.yaml", import.meta.url), "utf8")));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    commits: { type: "string", default: "40" },
    json: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});
if (positionals.length === 0) {
  console.error(USAGE);
  process.exit(2);
}
const rows = [];
const skipped = { refused: 0, left: 0 };
for (const p of positionals) {
  const repo = resolve(p);
  rows.push(...(await measure(repo, Number(values.commits))));
}

async function measure(repo, most) {
  const git = gitIn(repo, process.env);
  const log = execFileSync("git", ["log", "--no-merges", "-n", String(most * 6), "--format=%H%x00%P%x00%s%x00%b%x01"], {
    cwd: repo,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const out = [];
  for (const entry of log.split("\x01\n")) {
    if (out.length >= most) break;
    const [commit, parents, subject = "", body = ""] = entry.split("\0");
    if (!parents || parents.includes(" ")) continue;
    if (isRoutine(subject)) {
      skipped.left++;
      continue;
    }
    const changed = execFileSync(
      "git",
      ["diff-tree", "-r", "-z", "--no-renames", "--no-commit-id", "--name-only", commit],
      { cwd: repo, encoding: "utf8", maxBuffer: 1 << 26 },
    )
      .split("\0")
      .filter(Boolean);
    if (changed.length === 0) continue;
    const text = requestOf(subject, body);
    const judged = intake(policy, {
      request_id: "550e8400-e29b-41d4-a716-446655440000",
      timestamp: "2026-02-03T04:05:06Z",
      user_request: text,
    });
    if (judged.decision !== "approved") {
      skipped.refused++;
      continue;
    }
    const profile = {
      ...(await profileCommit(git, parents)),
      ...(await mentionFacts(repo, parents, text, `/tmp/field-scope/cache-${basename(repo)}`)),
    };
    const facts = {
      schema_version: "1.0.0",
      pack_id: "facts_lab0",
      project_id: "lab",
      collected_at: "2026-02-03T04:05:06Z",
      facts: profile,
    };
    const proposal = proposeFromTemplate({ text, intake: judged, spec: null, facts });
    const patterns = [...new Set(proposal.tasks.flatMap(({ files, tests }) => [...files, ...tests]))];
    const globs = patterns.map((x) => compileGlob(x));
    const inside = (path) => globs.some((g) => g(path));
    const source = changed.filter(isSource);
    out.push({
      repo: basename(repo) === "repo" ? basename(dirname(repo)) : basename(repo),
      commit: commit.slice(0, 10),
      text,
      kind: proposal.tasks[0].command_id,
      said: said(proposal),
      note: proposal.recommendations.find((x) => /may write|Name the files|cope/.test(x)) ?? "",
      patterns,
      changed: changed.length,
      source: source.length,
      sourceIn: source.filter(inside).length,
      out: changed.filter((x) => !inside(x)),
    });
  }
  return out;
}

function said(proposal) {
  const note = proposal.recommendations.join("\n");
  if (/It may write all source/.test(note)) return "all source";
  if (/because (?:the request says|it )/.test(note)) return "narrowed";
  return "other";
}

function requestOf(subject, body) {
  const title = subject.replace(/\s*\(#\d+\)\s*$/, "");
  const paragraph = body
    .split(/\r?\n\s*\r?\n/)[0]
    .split(/\r?\n/)
    .filter((l) => !/^(?:[A-Z][\w-]+-by|Closes|Fixes|Refs?|See|PR|Issue|PiperOrigin-RevId)\b.*(?::|#)/i.test(l))
    .join("\n")
    .trim();
  return paragraph === "" ? title : `${title}\n\n${paragraph}`;
}

function isRoutine(s) {
  return /^(?:merge|revert|release|bump|prepare|version packages|\[maven-release|v?\d+(?:\.\d+)+|chore\((?:deps|release)|(?:chore|build)(?:\([^)]*\))?: (?:release|changesets?|version)\b)|\bbump\b|^(?:chore|build|ci|fix)\(deps|update dependency|^(?:chore: )?v?\d+\.\d+/i.test(
    s,
  );
}
function isSource(path) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return (
    dot > 0 &&
    Object.hasOwn(LANGUAGES, name.slice(dot + 1).toLowerCase()) &&
    !TEST_FILES.test(path) &&
    !/^(?:examples?|docs?|bench(?:marks)?|fixtures|samples)\//.test(path)
  );
}
const pct = (n, of) => (of === 0 ? "–" : `${n} (${Math.round((100 * n) / of)} %)`);
if (values.list) for (const r of rows) console.log(JSON.stringify(r));
if (values.json) console.log(JSON.stringify({ skipped, rows }));
else
  for (const kind of ["all source", "narrowed", "other", "all"]) {
    const of = rows.filter((r) => kind === "all" || r.said === kind);
    const src = of.filter((r) => r.source > 0);
    console.log(
      `| ${kind} | ${of.length} | ${src.length} | all in ${pct(src.filter((r) => r.sourceIn === r.source).length, src.length)} | none ${pct(src.filter((r) => r.sourceIn === 0).length, src.length)} | whole ${pct(of.filter((r) => r.out.length === 0).length, of.length)} |`,
    );
  }
if (!values.json) console.log(skipped);
