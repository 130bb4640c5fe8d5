import type { ExecutionGraph, ReviewNode } from "../../../../model/plan/graph.js";
import type { ReviewPack } from "../../../../model/plan/review.js";
import type { PlanMade } from "../../../../app/plan-reports.js";
import { oneLine } from "../../../../foundation/text/one-line.js";
import { type Paint, row } from "../screen.js";

/** Shows what needs a person, each once: reviews with their reviewers, assumptions, and warnings. */
export function needsLines(
  report: PlanMade,
  graph: ExecutionGraph,
  { required_reviews, warnings }: ReviewPack,
  paint: Paint,
  width: number,
): string[] {
  const gates = new Map(
    graph.nodes
      .filter((node): node is ReviewNode => node.node_type === "review_gate")
      .map((node) => [node.node_id, node]),
  );
  const reviews = reviewLines(required_reviews, (gate) => gates.get(gate)?.metadata.when === "after_work");
  const unheld = required_reviews.filter(({ category, reviewers }) => isUnheld(category, reviewers));
  const names = [...new Set(unheld.map(({ category }) => `${category}: [NAME]`))].join(", ");
  const assumed = report.outcome.settled
    .filter(({ uncertainty }) => uncertainty.subject.kind !== "reviewer")
    .map(
      ({ uncertainty, answer, by }) =>
        `${by === "human" ? "Answered" : "Assumed"}: ${oneLine(uncertainty.question)} ${oneLine(answer)}`,
    );
  const known = new Set(report.outcome.settled.map(({ uncertainty }) => uncertainty.question));
  const pointed = warnings.filter(
    (text) => ![...known].some((question) => text.startsWith(`Not answered: ${question}`)),
  );
  return [
    ...(reviews.length === 0
      ? row("Needs you", "no review; look at the result when it is done and merge it", width)
      : reviews.flatMap((text, i) => row(i === 0 ? "Needs you" : "", text, width))),
    ...(names === "" || report.ground === undefined
      ? []
      : [
          ...row("", "Name who may review, by git's name or address, in coordinator.yaml:", width),
          // To be copied, so it is not broken.
          `${" ".repeat(11)}reviewers: { ${names} }`,
        ]),
    ...assumed.flatMap((text) => row("", text, width)),
    ...pointed.flatMap((text) => row(paint.careful("! Warning"), withoutRule(oneLine(text)), width)),
  ];
}

/** One line for all reviews of one category by the same people at the same time, with every reason once. */
export function reviewLines(reviews: ReviewPack["required_reviews"], isOfWork: (gate: string) => boolean): string[] {
  const lines = new Map<string, { times: number; readonly whys: Set<string> }>();
  for (const { category, reviewers, because, gate } of reviews) {
    const when = isOfWork(gate) ? "of the finished work, before the merge" : "before its tasks start";
    const head = `${category} review ${when}, by ${whoReviews(category, reviewers)}`;
    const line = lines.get(head) ?? { times: 0, whys: new Set() };
    lines.set(head, line);
    line.times++;
    if (because[0] !== undefined) line.whys.add(withoutRule(oneLine(because[0])));
  }
  return [...lines].map(([head, { times, whys }]) => {
    const reasons = [...whys].map((why, i) => (i === whys.size - 1 ? why : why.replace(/\.$/, "")));
    return [times === 1 ? head : `${head}, ${times} times`, ...reasons].join(". ");
  });
}

/** The reason alone; `coordinator explain` names the rule. */
function withoutRule(text: string): string {
  return text.replace(/^[a-z][a-z0-9_]+: /, "").replace(/ \([\w, #-]+\)$/, "");
}

/** A role that nobody is named for is only a word. */
function isUnheld(category: string, reviewers: readonly string[]): boolean {
  return reviewers.every((name) => name === `${category}_reviewer`);
}

function whoReviews(category: string, reviewers: readonly string[]): string {
  return isUnheld(category, reviewers) ? "nobody yet" : reviewers.map(oneLine).join(" or ");
}
