import type { PlanFile, PlanManifest } from "../../model/plan/manifest.js";
import { buildAudit } from "./audit.js";
import { canonicalJson } from "../../foundation/canonical-json/canonical.js";
import { graphContent, questionsContent, tapeContent } from "./freeze.js";
import type { PlanInputs } from "./inputs.js";
import type { PlanOutcome } from "./plan.js";
import { toDot } from "./render/dot.js";
import { toMarkdown, renderWaiting } from "./render/markdown.js";
import { toMermaid } from "./render/mermaid.js";
import { checksumOf, type Services } from "./services.js";

/** A plan as the files it is written as. */
export interface PlanBundle {
  readonly manifest: PlanManifest;
  /** Text by file name, the manifest included. Inputs stand under `inputs/`. */
  readonly files: ReadonlyMap<string, string>;
}

interface Draft {
  readonly text: string;
  readonly content: string | null;
}

/**
 * Render a plan that is DONE or AWAITING_ANSWERS into its files and seal them with a manifest.
 *
 * Contract: pure. Files are pretty-printed for people; the content checksum is over the canonical form without the
 * clock, the file checksum over the text's bytes.
 */
export function renderBundle(outcome: PlanOutcome, inputs: PlanInputs, services: Services): PlanBundle {
  if (outcome.lineage === null || (outcome.state !== "DONE" && outcome.state !== "AWAITING_ANSWERS"))
    throw new Error(`a plan that is ${outcome.state} has no files`);
  const inputDrafts = renderInputs(inputs, services);
  const contents = contentOutputs(outcome, services);
  const seal = {
    inputs: contentChecksums(inputDrafts),
    outputs: contentChecksums(contents),
    lineage: outcome.lineage,
    state: outcome.state,
  };
  const planChecksum = checksumOf(seal, services);
  const outputs = new Map([...contents, ...renderings(outcome, inputs, planChecksum)]);
  const manifest: PlanManifest = {
    schema_version: "1.0.0",
    plan_id: `plan_${planChecksum.slice(0, 24)}`,
    state: outcome.state,
    intent_id: outcome.intentId,
    coordinator_run_id: outcome.runId,
    coordinator_version: services.coordinatorVersion,
    plan_checksum: planChecksum,
    lineage: outcome.lineage,
    inputs: fileEntries(inputDrafts, services),
    outputs: fileEntries(outputs, services),
    made_at: inputs.instants.at(-1) ?? "1970-01-01T00:00:00Z",
  };
  const files = new Map([...inputDrafts, ...outputs].map(([name, draft]) => [name, draft.text]));
  files.set("manifest.json", pretty(manifest));
  return { manifest, files };
}

function renderInputs(inputs: PlanInputs, services: Services): Map<string, Draft> {
  const drafts = new Map<string, Draft>();
  const add = (name: string, value: unknown) => drafts.set(`inputs/${name}.json`, json(value, value, services));
  add("intent", inputs.intent);
  if (inputs.lock !== null) add("lock", inputs.lock);
  add("policy", inputs.policy);
  add("registry", inputs.registry.registry);
  add("facts", inputs.facts);
  add("memory", inputs.memory);
  for (const [i, pack] of inputs.answers.entries()) add(`answers-${i + 1}`, pack);
  // The clock is not content: the same plan made at another time is the same plan.
  drafts.set("inputs/clock.json", { text: pretty({ instants: inputs.instants }), content: null });
  return drafts;
}

function contentOutputs({ graph, questions, review, tape }: PlanOutcome, services: Services): Map<string, Draft> {
  const drafts = new Map<string, Draft>();
  if (graph !== null) drafts.set("graph.json", json(graph, graphContent(graph), services));
  for (const [i, pack] of questions.entries()) {
    const name = i === questions.length - 1 ? "questions.json" : `questions-${i + 1}.json`;
    drafts.set(name, json(pack, questionsContent(pack), services));
  }
  if (review !== null) drafts.set("review.json", json(review, review, services));
  drafts.set("tape.json", json(tape, tapeContent(tape), services));
  return drafts;
}

/** Renderings, which follow from the contents: their file checksums are in the manifest, but they say nothing new. */
function renderings(outcome: PlanOutcome, inputs: PlanInputs, planChecksum: string): [string, Draft][] {
  const { graph, review, questions, parsed } = outcome;
  const audit = buildAudit(outcome, inputs).map((entry) => canonicalJson(entry));
  const texts: [string, string][] = [["audit.jsonl", `${audit.join("\n")}\n`]];
  const waiting = questions.at(-1);
  if (graph !== null && review !== null)
    texts.push(
      ["plan.md", toMarkdown(graph, review, planChecksum)],
      ["graph.mmd", toMermaid(graph)],
      ["graph.dot", toDot(graph)],
    );
  else if (waiting !== undefined)
    texts.push(["plan.md", renderWaiting(parsed?.intent.title ?? outcome.intentId, waiting)]);
  return texts.map(([name, text]) => [name, { text, content: null }]);
}

function json(value: unknown, content: unknown, services: Services): Draft {
  return { text: pretty(value), content: checksumOf(content, services) };
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function contentChecksums(drafts: ReadonlyMap<string, Draft>): Record<string, string> {
  return Object.fromEntries([...drafts].flatMap(([name, { content }]) => (content === null ? [] : [[name, content]])));
}

function fileEntries(drafts: ReadonlyMap<string, Draft>, services: Services): Record<string, PlanFile> {
  const entry = ({ text, content }: Draft): PlanFile => ({
    content_checksum: content,
    file_checksum: services.sha256(text),
  });
  return Object.fromEntries([...drafts].map(([name, draft]) => [name, entry(draft)]));
}
