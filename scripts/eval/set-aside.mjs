// Authors whose texts were put away before anything was fitted (test/eval-fixtures/unfitted/*-authors.jsonl), decided by the shipped weights
// and by those they stand on.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readSet, root } from "../fit/data.mjs";
import { toModel } from "../fit/model.mjs";

const TASKS = [
  {
    name: "routing",
    file: "requests-authors.jsonl",
    rowOf: (entry) => ({ ...entry, label: entry.category, confidence: entry.label_confidence ?? "high" }),
  },
  { name: "safety", file: "safety-authors.jsonl", rowOf: (entry) => ({ ...entry, truth: entry.label }) },
];
const WEIGHTS = [
  { title: "shipped weights", folder: join(root, "policy", "learned") },
  { title: "weights before", folder: join(root, "scripts", "fit", "before") },
];
const PARTS = [
  { title: "", of: () => true },
  { title: ", English", of: ({ language }) => language === "en" },
  { title: ", not English", of: ({ language }) => language !== "en" },
];

export async function setAsideSection() {
  const tables = [];
  for (const task of TASKS) tables.push(await renderTable(task));
  return `${HEAD}\n${tables.join("\n")}`;
}

async function renderTable({ name, file, rowOf }) {
  const { decider, score } = await import(`../fit/${name}.mjs`);
  const rows = readSet(file, join(root, "test", "eval-fixtures", "unfitted", file)).entries.map(rowOf);
  const lines = WEIGHTS.flatMap(({ title, folder }) => {
    const decide = decider(toModel(JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"))));
    const decided = rows.map((row) => ({ row, decision: decide(row) }));
    return PARTS.map((part) => {
      const of = decided.filter(({ row }) => part.of(row));
      return { title: `${title}${part.title} (${of.length})`, figures: score(of) };
    });
  });
  const names = Object.keys(lines[0].figures);
  return [
    `### ${name}`,
    "",
    `| texts decided by | ${names.join(" | ")} |`,
    `| --- |${names.map(() => " --: |").join("")}`,
    ...lines.map(({ title, figures }) => `| ${title} | ${names.map((one) => figures[one].toFixed(2)).join(" | ")} |`),
    "",
  ].join("\n");
}

const HEAD = `## Authors set aside

Sixteen invented authors, whose texts were put away before anything was fitted and are fitted to by nothing. All were written by one person who knew the rules, as were the
authors that were fitted to: real strangers differ more from each other. 138 and 110 texts: a difference of three points is chance.
`;
