// `npm run lab:secrets -- REPO… [--list N]`: how many secrets redaction finds in the files of repositories, by kind, and how fast
// it is. In a public repository nearly everything it finds is a false alarm or a key made for tests. Values are never printed.
import { execFileSync, spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { findSecrets } from "../dist/foundation/secrets/find-secrets.js";
import { redactSecrets } from "../dist/foundation/secrets/redact.js";

const USAGE = "Usage: npm run lab:secrets -- REPO… [--list N]";
const MOST_BYTES = 1_000_000;

const { values, positionals: repositories } = parseArgs({
  allowPositionals: true,
  options: { list: { type: "string", default: "0" } },
});
if (repositories.length === 0) {
  console.error(USAGE);
  process.exit(2);
}

const total = { files: 0, findings: 0, holding: 0, bytes: 0, ms: 0 };
const kinds = new Map();
const list = [];
console.log("| repository | files | findings | per 1,000 files | files with one |\n| --- | --- | --- | --- | --- |");
for (const repository of repositories) {
  const seen = { files: 0, findings: 0, holding: 0 };
  for (const { path, text } of filesOf(repository)) {
    const began = performance.now();
    const found = findSecrets(text);
    total.ms += performance.now() - began;
    total.bytes += text.length;
    seen.files++;
    seen.findings += found.length;
    if (found.length > 0) seen.holding++;
    for (const { shape, start } of found) {
      kinds.set(shape, (kinds.get(shape) ?? 0) + 1);
      list.push(`${path} [${shape}] ${redactSecrets(lineAt(text, start)).trim().slice(0, 140)}`);
    }
  }
  row(
    repository
      .split("/")
      .filter((part) => part !== "" && part !== "repo" && part !== ".git")
      .at(-1),
    seen,
  );
  for (const key of ["files", "findings", "holding"]) total[key] += seen[key];
}
row("**all**", total);
console.log(
  `\n${[...kinds]
    .sort((a, b) => b[1] - a[1])
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ")}`,
);
console.log(`${(total.bytes / 1e6).toFixed(0)} MB, ${(total.bytes / 1e3 / total.ms).toFixed(0)} MB/s`);
const every = Math.max(1, Math.floor(list.length / Math.max(1, Number(values.list))));
for (const line of list.filter((_, i) => i % every === 0).slice(0, Number(values.list))) console.log(line);

function row(name, { files, findings, holding }) {
  console.log(
    `| ${name} | ${files} | ${findings} | ${((1000 * findings) / Math.max(1, files)).toFixed(1)} | ${holding} |`,
  );
}

function lineAt(text, start) {
  const end = text.indexOf("\n", start);
  return text.slice(text.lastIndexOf("\n", start) + 1, end === -1 ? text.length : end);
}

/** The text files of the last commit, up to a size. */
function* filesOf(repository) {
  const git = ["-C", repository];
  const listed = execFileSync("git", [...git, "ls-tree", "-r", "-l", "-z", "HEAD"], { maxBuffer: 2 ** 30 }).toString();
  const files = listed.split("\0").flatMap((line) => {
    const [, mode, oid, size, path] = /^(\d+) blob (\w+) +(\d+)\t([\s\S]*)$/.exec(line) ?? [];
    return mode === undefined || mode === "120000" || Number(size) > MOST_BYTES ? [] : [{ oid, path }];
  });
  const input = `${files.map(({ oid }) => oid).join("\n")}\n`;
  const { stdout } = spawnSync("git", [...git, "cat-file", "--batch"], { input, maxBuffer: 2 ** 32 });
  let at = 0;
  for (const { path } of files) {
    const end = stdout.indexOf(10, at);
    const size = Number(stdout.toString("latin1", at, end).split(" ")[2]);
    at = end + 1;
    if (!(size >= 0)) continue;
    const bytes = stdout.subarray(at, at + size);
    at += size + 1;
    if (!bytes.subarray(0, 8000).includes(0)) yield { path, text: bytes.toString("utf8") };
  }
}
