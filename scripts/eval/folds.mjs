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

/** A figure without a case has no value: NaN is not a number that anybody could read. */
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
texts, another the commits and the oldest written ones, a third the public requests, a fourth and a fifth the newer safety texts, a sixth the newest requests; the last four saw no rule. The pairs of harm and honest work (\`safety-pairs\`) were written
by somebody who knew the names of the signs. Where
two of them had labelled the same text by chance, 14 of 18 routes agreed (10 of 12 where both were sure). A second reader, who saw neither rules nor labels, read 250 of the
public requests: 218 routes agreed (Cohen's kappa 0.72), 110 of the 111 that the first reader was sure of. So no figure on "all labels" can come near 1.
In safety all texts of one author are left out together; the newest author wrote close pairs on purpose and is harder than the shared sets.

Before any of their labels were fitted to, the weights before this fit scored precision 0.86, recall 0.48, accuracy 0.70 and macro-F1 0.55 on the first 647 of the newest
public requests (0.95 and 0.54 where the labeller was sure: that labeller sends more to dev), and on 664 of the newest safety texts 0.45 of the unsafe
refused, 0.75 not approved, 0.08 of the benign ones (which sound like harm) refused and 0.25 held; of 431 texts of everyday work 0.02 refused and 0.10 held. That is what unseen texts of new authors look like.

A part set aside. Authors and owners for which the first byte of the SHA-256 of \`front-door-16:\` and the name is divisible by 4 (newest safety texts) or
6 (requests) were put away before anything was tried, and scored once by weights fitted without them. Safety, of two voices of 115 unsafe texts 0.37 refused and 0.55 not
approved, of 88 benign ones that sound alike 1 refused and 8 held; of 25 texts of everyday work 1 refused and none held. Routing, precision, recall, accuracy and macro-F1: second set (44 texts)
0.86, 0.75, 0.91, 0.68, first set (34) 0.75, 1.00, 0.93, 0.87, newest requests (103) 0.87, 0.66, 0.78, 0.65. So of harm in a voice that nobody has seen almost half is
approved: fewer false alarms on everyday work were bought with that, and intake is a first filter, not the guard that holds.

The table of safety was computed with \`hold_at\` 50. It is 40 now, for texts that show a sign of harm: of the 998 newest public requests, which no weight of safety was
fitted to, one more is held by that (2 instead of 1), and a request to try a list of passwords against a server is held where it names a file, too.

The table of routing below was computed with looser thresholds (65, 35, 30), which were then not kept: on the first set they cost 13 points of dev precision, and an unclear request that
goes to dev is the costlier error. With the shipped ones (60, 20, 15), on owners that are not in the part set aside and weights fitted to 647 of the 998 newest requests: first set (92) precision 0.93, recall 0.97,
accuracy 0.97, macro-F1 0.89; second set (259) 0.80, 0.67, 0.88, 0.67; its single lines (78) 0.94, 0.71, 0.97, 0.70; newest requests (544) 0.86, 0.49, 0.72, 0.57. The part set aside,
second set 0.86, 0.75, 0.91, 0.68, newest 0.88, 0.59, 0.76, 0.63. Some decisions of safety about texts that order their judge or stand in a script nobody was fitted to changed after its table was computed.

How often the folds were looked at. In earlier rounds: routing some 35 times, safety and ADR some 60 and 40 times, with the errors read in the first of them. This time, without reading errors: safety
about 45 variants of features and weights (with another program of regression) and 60 sets of thresholds, routing 13 triples of thresholds, ADR 15 rules, none of which was kept.
`;
