// `npm run lab:field -- CLONE… [--commit REV] [--no-install] [--minutes N] [--json] [--keep]`: walks real repositories as
// a newcomer would, from `init` to a merged branch, and says what came of each. The clones are only read.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { tableOf } from "./field/table.mjs";
import { walk } from "./field/walk.mjs";
import { Refused, parseWords, runScript } from "./lab/run-script.mjs";

const USAGE = "Usage: npm run lab:field -- CLONE… [--commit REV] [--no-install] [--minutes N] [--json] [--keep]";

await runScript(() => main(readArguments()));

function readArguments() {
  const options = {
    commit: { type: "string" },
    "no-install": { type: "boolean", default: false },
    minutes: { type: "string", default: "15" },
    json: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  };
  const parsed = parseWords(options, USAGE);
  const { values, positionals } = parsed;
  const minutes = Number(values.minutes);
  if (positionals.length === 0 || !(minutes > 0)) throw new Refused(USAGE);
  if (values.commit !== undefined && positionals.length > 1)
    throw new Refused(`--commit names a commit of one clone, and there are ${positionals.length}.\n${USAGE}`);
  const clones = positionals.map((path) => resolve(path));
  const missing = clones.find((clone) => !existsSync(join(clone, ".git")));
  if (missing !== undefined) throw new Refused(`${missing} is not a clone with a work tree: git clone it first.`);
  return {
    clones,
    install: !values["no-install"],
    minutes,
    commit: values.commit,
    json: values.json,
    keep: values.keep,
  };
}

function main({ clones, json, keep, ...options }) {
  const place = mkdtempSync(join(tmpdir(), "coordinator-field-"));
  const rows = [];
  try {
    for (const [at, clone] of clones.entries()) {
      const row = walkClone(clone, join(place, String(at)), options);
      rows.push(row);
      // Each as soon as it is known: a long walk that is stopped has not been in vain.
      if (json) console.log(JSON.stringify(row));
      else
        console.error(
          `${row.repository}: ${row.run?.verdict ?? "no verdict"}, ${row.merged ? "merged" : "not merged"}`,
        );
      if (!keep) rmSync(join(place, String(at)), { recursive: true, force: true });
    }
  } finally {
    if (keep) console.error(`The copies are in ${place}`);
    else rmSync(place, { recursive: true, force: true });
  }
  if (!json) console.log(tableOf(rows));
  return rows.every(isTrue) ? 0 : 1;
}

/** One repository that cannot be walked does not keep the others from it. */
function walkClone(clone, place, options) {
  try {
    return walk(clone, place, options);
  } catch (error) {
    return { repository: clone, kind: "?", notes: [error instanceof Error ? error.message : String(error)] };
  }
}

/** Harm never passes; anything else may be friction, and is told, but is not a lie. */
function isTrue({ syntax, assertion }) {
  return [syntax, assertion].every((each) => each?.verdict !== "PASS");
}
