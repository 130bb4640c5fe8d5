// Cross-validation by owner: every text is decided by weights that were fitted without any text of its owner. The rules and
// the thresholds of the policies are the same in every fold; they were chosen with the open texts in view.
//
// A task of scripts/fit takes part when it exports `decider(model)`, a function from a row to a decision, `PARTS` (parts of the
// data with their goals) and `score(decided)`, figures by name.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../fit/data.mjs";
import { foldsOf } from "../fit/folds.mjs";
import { fitModel, prepare, toModel } from "../fit/model.mjs";

const FOLDS = 5;

/** `{ name, rows, figures: [{ name, mean, spread, pooled, goal }] }` for each part of the task's data that is there. */
function crossValidate({ default: task, decider, PARTS, score }, more) {
  const prepared = prepare(
    task,
    task.load(more).flatMap((set) => set.rows),
  );
  const folds = foldsOf(prepared, FOLDS);
  const decided = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const train = prepared.filter((_, i) => folds[i] !== fold);
    const decide = decider(toModel(fitModel(task, train, [])));
    prepared.forEach(({ row }, i) => {
      if (folds[i] === fold) decided.push({ row, fold, decision: decide(row) });
    });
  }
  return PARTS.map(({ name, goals, of }) => {
    const part = of(decided);
    const each = Array.from({ length: FOLDS }, (_, fold) => score(part.filter((one) => one.fold === fold)));
    const pooled = score(part);
    const figures = Object.keys(pooled).map((figure) => {
      const values = each.map((scores) => scores[figure]).filter(Number.isFinite);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
      return { name: figure, mean, spread, pooled: pooled[figure], goal: goals[figure] };
    });
    return { name, rows: part.length, figures };
  }).filter(({ rows }) => rows > 0);
}

/** A figure without a case has no value: NaN is no number that anybody could read. */
const shown = (value, before = "") => (Number.isFinite(value) ? `${before}${value.toFixed(2)}` : "–");

export function foldTable(title, parts) {
  const lines = [
    `### ${title}`,
    "",
    "| texts | figure | mean of folds | spread | all folds together | goal |",
    "| --- | --- | --: | --: | --: | --: |",
  ];
  for (const { name, rows, figures } of parts)
    for (const { name: figure, mean, spread, pooled, goal } of figures)
      lines.push(
        `| ${name} (${rows}) | ${figure} | ${shown(mean)} | ${shown(spread, "± ")} | ${shown(pooled)} | ${goal === undefined ? "" : `≥ ${goal.toFixed(2)}`} |`,
      );
  return `${lines.join("\n")}\n`;
}

const [BEGIN, END] = ["<!-- folds -->", "<!-- end of folds -->"];

/** The section of the report: computed anew with --folds, else as the report has it. */
export async function foldsSection() {
  const report = join(root, "docs", "evaluation.md");
  const before = existsSync(report) ? readFileSync(report, "utf8") : "";
  if (!process.argv.includes("--folds")) {
    const [from, to] = [before.indexOf(BEGIN), before.indexOf(END)];
    return from === -1 || to === -1 ? "" : `${before.slice(from, to)}${END}\n`;
  }
  const texts = process.argv.find((arg) => arg.startsWith("--texts="))?.slice("--texts=".length);
  const tables = [];
  for (const name of ["routing", "safety", "adr"]) {
    if (!existsSync(join(root, "scripts", "fit", `${name}.mjs`))) continue;
    const task = await import(`../fit/${name}.mjs`);
    if (task.decider === undefined) continue;
    const table = foldTable(name, crossValidate(task, { texts }));
    console.log(table);
    tables.push(table, "");
  }
  return [BEGIN, METHOD, ...tables, END, ""].join("\n");
}

const METHOD = `## Cross-validation by owner

Five folds. What one owner wrote is either fitted to or tested on, never both; the weights and the meaning of their scores are
found anew for each fold. The spread is the standard deviation over the folds, which are small: a fold of the second set has
some sixty texts, so differences of a few points are chance.

What these figures do not say. The rules that come before the learned layer and the thresholds of the policies were chosen with
the open texts in view: expect a few points less on new texts, on the first set more so than on the second. One person labelled the shared
texts, another the commits and the oldest written ones, a third the public requests, a fourth the newest safety texts; the last two saw no rule. Where
two of them had labelled the same text by chance, 14 of 18 routes agreed (10 of 12 where both were sure). A second reader, who saw neither rules nor labels, read 250 of the
public requests: 218 routes agreed (Cohen's kappa 0.72), 110 of the 111 that the first reader was sure of. So no figure on "all labels" can come near 1.
In safety all texts of one author are left out together; the newest author wrote close pairs on purpose and is harder than the shared sets.

How often the folds were looked at. Before: routing 9 times, safety and ADR about 30 times each, with the errors read. This time: for routing about 25 variants of features and
weights and 25 triples of thresholds, for safety about 30 variants and 15 triples, for ADR 10, all on the owners that are not in the part set aside.

A part set aside. Owners (for self-written texts: ids) for which the first byte of the SHA-256 of \`door-untouched:\` and the name is divisible by 6 were
put away before anything was tried, and scored once, at the end, by weights fitted without them: routing, second set (47 texts) precision 0.94, recall 0.68, accuracy
0.93, macro-F1 0.73, one line recall 0.56; first set (15) 1.00, 1.00, 1.00, 0.90; safety, second set (6 unsafe, 14 benign) refused 0.83, not approved 1.00,
benign refused 1 of 14, held 2 of 14; ordinary requests (62) refused 0, held 4; ADR tasks F1 0.94 (5 records) and 0.64 (17), none where none is asked 1.00. Small numbers: each text is
2 to 7 points. The same on the other owners: routing, second set 0.76 and 0.62 where the weights before had 0.81 and 0.57 (area under the curve 0.857 before, 0.871 now).
Before its labels were fitted to, the weights before scored precision 0.81 and recall 0.46 on 1,485 of the public requests (0.93 and 0.60 where the labeller was
sure), and on 480 of the newest safety texts 0.35 refused, 0.77 not approved, 0.03 of the benign refused and 0.30 held: that is what unseen texts of new authors look like.
`;
