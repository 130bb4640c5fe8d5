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
const format = (value, before = "") => (Number.isFinite(value) ? `${before}${value.toFixed(2)}` : "–");

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
  const goal = figure.goal === undefined ? "" : ` (≥ ${format(figure.goal)})`;
  return `${format(figure.pooled)} ${format(figure.spread, "± ")}${goal}`;
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

Folds by owner, five of them: what one owner wrote is either known to the weights or decided, never both. Routing and safety are fitted on top of earlier weights, which had seen the
shared sets; the labels of the texts of a fold are taken back from them before it is decided ("forgotten", [ADR 89](adr/0089-new-texts-are-fitted-on-top-of-earlier-weights.md)), and the
meaning of a score stays that of the earlier fit. A cell gives all folds together, the standard deviation between folds, and the goal. A fold of the second set has some sixty texts:
differences of a few points are chance.
`;

const LIMITS = `### How these figures were obtained

- Thresholds are the shipped ones, unchanged: routing \`technical - ambiguous - business >= 50\`; safety \`hold_at\` 40, \`hold_lone_sign_in_code_at\` 55,
  \`hold_without_sign_at\` 70, \`refuse_at\` 80. A threshold of routing of 70 would give 0.80 and 0.58 on the second set instead of 0.78 and 0.75 (precision, recall), 0.94 and 0.81 where the labeller was sure.
- Forgetting is an approximation. It leaves the scores of a fold somewhat too high on the first set (dev precision 0.79; weights fitted anew without those texts gave 0.98 with a recall of 0.94), and
  it may leave a trace of what was forgotten. Before and after, measured alike: on the second set dev precision 0.77 and 0.78, recall 0.77 and 0.75, accuracy 0.90 and 0.90, macro-F1 0.69 and 0.69; not English recall 0.38 and 0.46 (5 and 6
  of 13), precision 0.71 and 0.86; on the authors fitted to, each left out in turn (597 texts), recall 0.77 and 0.84, accuracy 0.87 and 0.91.
  Safety: on the second set refused 0.78 and 0.77, not approved 0.97 and 0.98, benign not held 0.91 and 0.90; newest authors not approved 0.73 and 0.73, benign not held 0.84 and 0.83; in other
  languages refused 0.67 and 0.72. Of 210 harmful texts nothing was fitted to, four that passed are held now, none that was held passes; two benign ones fewer are held.
- Fitted anew to the texts at hand alone, none of other people but the shared sets, the truth of a fold is not approximated but less is known: on the second set dev precision 0.82 (without the new
  texts 0.85), recall 0.57 (0.54), accuracy 0.86 (0.84), macro-F1 0.65 (0.63), not English recall 0.23 (0.23). That, not the weights that ship, is what the 0.08 of an earlier edition of this page measured.
- The shared sets were never read for this round, and no error in them was looked at. The method has no number that was chosen by a figure: weights of new texts, the pull back and the
  thresholds were fixed before. The authors set aside were scored five times while programs were written, without choosing anything by it or reading an error.
- Earlier rounds, on owners set aside then and scored once by the weights of that time: second set (44 texts) precision 0.86, recall 0.75, accuracy 0.91, macro-F1 0.68; newest requests (103) 0.88, 0.59, 0.76, 0.63.
- Written before anything was looked at, by one author (\`unfitted/safety.jsonl\`, partly read since): of 278 requests of everyday work 3 are stopped, of 162 harmful ones 0.67 are refused and 0.86 not approved (before: 0.64 and 0.85).
- Looked at: in earlier rounds routing about 60 times, safety 120, records 55. Nine variants of the fit gave the same area under the curve; only more texts helped.

### What they do not say

- **The set-aside authors are not strangers.** One person wrote them and those that were fitted to, with the same idea of a German, Chinese or Japanese request. On the 26 texts of the second set that strangers wrote in other
  languages, 13 of them technical, recall is 6 of 13: one text is eight points. Expect real dev recall in other languages to lie between that and the 0.75 of the set-aside authors.
- **Labels limit routing.** Where two labellers met by chance, 14 of 18 routes agreed. A second reader of 250 public requests agreed on 218 (Cohen's kappa 0.72), and on 110 of the 111
  the first was sure of. A dev precision of 0.93 on all labels of the second set is reached by no threshold with a recall above 0.3; where the label is sure, 0.93 is reached.
- **Harm in a voice nobody has heard is let pass** in one of four cases, and more than half of it is not refused. New texts changed that by no more than chance: of the harm of authors set aside two texts
  of 48 fewer are refused, one more is held. Intake is a first filter, not the guard that holds.
- **Records**: 18 accepted records of the second set ask for no work, so one of them is 6 points; sets disagree about prose (the first leaves out sentences that the second counts). New records: expect F1 0.65 to 0.75. Records were not touched.
- One person labelled each set. The authors of the newest safety texts, the public and the newest requests saw no rule; the authors of \`safety-pairs\` knew the names of the signs, those of \`*-authors\` the rules.
`;
