// The rows of a walk as a table in Markdown, for the terminal and for documents.

const COLUMNS = [
  ["repository", ({ repository, kind, commit }) => `${repository} (${kind}) ${commit ?? ""}`.trim()],
  ["init", ({ init_seconds: s }) => (s === undefined ? "–" : `${s.toFixed(0)} s`)],
  ["doctor", doctor],
  ["verdict", ({ run }) => (run === undefined ? "–" : verdict(run))],
  ["proven by", ({ run }) => (run?.checks ?? []).map(check).join(", ") || "nothing"],
  ["merged", ({ merged }) => (merged === true ? "yes" : "no")],
  ["syntax error", ({ syntax }) => (syntax ? verdict(syntax) : "–")],
  ["turned assertion", ({ assertion }) => (assertion ? verdict(assertion) : "–")],
  ["notes", notes],
];

export function tableOf(rows) {
  const lines = [
    COLUMNS.map(([name]) => name),
    COLUMNS.map(() => "---"),
    ...rows.map((row) => COLUMNS.map(([, cell]) => String(cell(row)).replaceAll("|", "\\|").replaceAll(/\s+/g, " "))),
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function verdict({ verdict: given, cause }) {
  return `${given ?? "none"}${cause ? ` (${cause})` : ""}`;
}

function check({ check: name, exit_code, passed, failed_before }) {
  const counted = passed > 0 ? `${name} ${passed}` : `${name} ${exit_code === 0 ? "ok" : `exit ${exit_code}`}`;
  return failed_before > 0 ? `${counted} (${failed_before} failed before)` : counted;
}

function doctor(row) {
  if (row.doctor === undefined) return "–";
  const bad = row.doctor.lines.filter(({ status }) => status === "bad").map(({ name, detail }) => `${name}: ${detail}`);
  const tried = (row.doctor.tried ?? []).map(({ name, detail }) => `${name}: ${detail}`).join("; ");
  const said = row.doctor.ready ? "ready" : `not ready: ${bad.join("; ")}`;
  return `${said}${tried === "" ? "" : `; ${tried}`}`.slice(0, 200);
}

function notes({ notes: told, run, merge_says: says }) {
  return [...told, ...(run?.answers ?? []), run?.open ? `waits: ${run.open}` : "", says ? `merge: ${says}` : ""]
    .filter((each) => each !== "")
    .join("; ")
    .slice(0, 400);
}
