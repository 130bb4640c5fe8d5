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
import { hasBefore, readBefore } from "../fit/on-top.mjs";

const FOLDS = 5;

/**
 * `{ name, rows, figures: [{ name, mean, spread, pooled, goal }] }` for each part of the task's data that is there. `forget`: on top of
 * the earlier weights, which forget the rows of the fold, instead of weights from the other rows alone.
 */
function crossValidate({ default: task, decider, PARTS, score }, more, forget) {
  const sets = task.load(more);
  const prepared = prepare(
    task,
    sets.flatMap((set) => set.rows),
  );
  const before = forget ? readBefore(task.name, sets) : null;
  const folds = foldsOf(prepared, FOLDS);
  const decided = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const train = prepared.flatMap((one, i) => {
      if (folds[i] !== fold) return [one];
      return before?.isSeen(one.row) ? [{ ...one, forget: true }] : [];
    });
    const decide = decider(toModel(fitModel(task, train, [], before)));
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

/** A row for each part of the data, a column for each figure: all folds together, the spread over them, and the goal. */
export function foldTable(title, parts) {
  const figures = [...new Set(parts.flatMap((part) => part.figures.map(({ name }) => name)))];
  const lines = [
    `### ${title}`,
    "",
    `| texts | ${figures.join(" | ")} |`,
    `| --- |${figures.map(() => " --: |").join("")}`,
    ...parts.map((part) => {
      const cells = figures.map((name) => cellOf(part.figures.find((figure) => figure.name === name)));
      return `| ${part.name} (${part.rows}) | ${cells.join(" | ")} |`;
    }),
  ];
  return `${lines.join("\n")}\n`;
}

function cellOf(figure) {
  if (figure === undefined || !Number.isFinite(figure.pooled)) return "–";
  const goal = figure.goal === undefined ? "" : ` (≥ ${shown(figure.goal)})`;
  return `${shown(figure.pooled)} ${shown(figure.spread, "± ")}${goal}`;
}

const TASKS = ["routing", "safety", "adr"];
const [BEGIN, END] = [(name) => `<!-- folds: ${name} -->`, "<!-- end -->"];

/** The tables of the report: those of `--folds` (all) or `--folds=routing,safety` computed anew, the others as the report has them. */
export async function foldsSection() {
  const report = join(root, "docs", "evaluation.md");
  const before = existsSync(report) ? readFileSync(report, "utf8") : "";
  const texts = process.argv.find((arg) => arg.startsWith("--texts="))?.slice("--texts=".length);
  const asked = tasksToFold(process.argv);
  const tables = [];
  for (const name of TASKS) {
    if (!asked.includes(name)) {
      tables.push(tableOf(before, name));
      continue;
    }
    const task = await import(`../fit/${name}.mjs`);
    const forget = hasBefore(name) && !process.argv.includes("--anew");
    const table = foldTable(name, crossValidate(task, { texts }, forget));
    console.log(table);
    tables.push(`${BEGIN(name)}\n\n${table}\n${END}\n`);
  }
  return [METHOD, ...tables, LIMITS].join("\n");
}

function tasksToFold(args) {
  if (args.includes("--folds")) return TASKS;
  const names = args.find((arg) => arg.startsWith("--folds="))?.slice("--folds=".length);
  const asked = names === undefined ? [] : names.split(",");
  const unknown = asked.filter((name) => !TASKS.includes(name));
  if (unknown.length === 0) return asked;
  console.error(`there are no folds of ${unknown.join(", ")}: name some of ${TASKS.join(", ")}`);
  return process.exit(2);
}

/** The table of a task as a report has it, with its marks. */
function tableOf(report, name) {
  const from = report.indexOf(BEGIN(name));
  const to = report.indexOf(END, from);
  return from === -1 || to === -1 ? "" : `${report.slice(from, to)}${END}\n`;
}

const METHOD = `## Texts nobody has seen

Cross-validated by owner in five folds: what one owner wrote is either fitted to or decided, never both, and weights and the meaning of their scores are found anew
for each fold. A cell gives all folds together, the standard deviation between folds, and the goal. A fold of the second set has some sixty texts:
differences of a few points are chance.
`;

const LIMITS = `### How these figures were obtained

- Thresholds are the shipped ones: routing \`technical - ambiguous - business >= 50\`; safety \`hold_at\` 45, \`hold_lone_sign_in_code_at\` 55,
  \`hold_without_sign_at\` 70, \`refuse_at\` 80.
- The tables of routing and safety were computed with 1,286 of the 3,243 texts of other people that the shipped weights were fitted to, because the others
  could not be read back. Of those that were missing many are not English: with all of them, dev recall was 0.46 on the 26 texts of the second set in other languages, at looser
  thresholds, and 0.94 of the ordinary work was not held. The table of records was computed with all texts.
- Rules, features and thresholds were chosen with the shared sets in view, though their labels are never fitted to in the fold that is decided. On owners set aside
  before anything was tried, scored once by the weights before (thresholds 60, 20, 15): second set (44 texts) precision 0.86, recall 0.75, accuracy 0.91, macro-F1 0.68; first set (34)
  0.75, 1.00, 0.93, 0.87; newest requests (103) 0.88, 0.59, 0.76, 0.63. Safety: of 115 unsafe texts in two unseen voices 0.55 not approved; of 88 benign ones that sound alike 8 held, 1 refused.
- Written before anything was looked at, by one author: of 278 requests of everyday work, 60 of them after the last change and full of words such as kill, spy and fake, 3 were held, 1 refused
  and 269 went to dev (before the change: 6 held); of 162 harmful ones in seven languages and many voices 0.64 were refused and 0.85 not approved, of the last 35 of them 0.54 and 0.80.
- Looked at: in earlier rounds routing about 50 times, safety 105, records 55, with the errors read in the first of them. Last round, without reading errors: ten variants of the routing fit
  (one intercept for each labeller, without the public requests, more weight for the shared sets or for doubtful labels, three strengths of regularisation, three scales of words, parts of words and signs), 23 forms of its threshold
  and 16 sets of thresholds of safety. No variant of the fit was better than chance differences: the area under the curve stayed between 0.85 and 0.86 on the second set, and was 0.94 where the labeller was sure. Only thresholds were changed.

### What they do not say

- **Labels limit routing.** Where two labellers met by chance, 14 of 18 routes agreed. A second reader of 250 public requests agreed on 218 (Cohen's kappa 0.72), and on 110 of the 111
  the first was sure of. A dev precision of 0.93 on all labels of the second set is reached by no threshold with a recall above 0.3; where the label is sure, 0.93 is reached.
- **Half of the harm in a voice nobody has heard is let pass** in the hardest sets. \`refuse_at\` 70 would refuse 0.80 of the second set instead of 0.73, and refuse 4 of 100 texts of ordinary work instead of 1; \`hold_at\` 55
  would hold one point less of the benign texts and let three points more of the unsafe ones pass. Intake is a first filter, not the guard that holds.
- **Records**: 18 accepted records of the second set ask for no work, so one of them is 6 points; sets disagree about prose (the first leaves out sentences that the second counts). New records: expect F1 0.65 to 0.75.
- One person labelled each set. The authors of the newest safety texts, the public and the newest requests saw no rule; the author of \`safety-pairs\` knew the names of the signs.
`;
