import type { Evidence, IntakeStep, ProjectTypeFinding, RepositoryFacts } from "../../model/request.js";
import type { CompiledPolicy, CompiledTypes, Strength } from "./compile-policy.js";
import { evidenceOf } from "./evidence.js";
import type { Reading } from "./reading/reading.js";
import { matchesFile } from "./repository-cues.js";
import { structureOf } from "./reading/structure.js";
import type { Token } from "./reading/tokens.js";

export interface TypeFinding {
  readonly finding: ProjectTypeFinding;
  readonly step: IntakeStep;
}

const MOST_EVIDENCE = 6;

/** The type the request says it is, else what the repository and the text speak for. */
export function detectProjectType(
  policy: CompiledPolicy,
  reading: Reading,
  places: readonly string[],
  declared: string | undefined,
  facts: RepositoryFacts | undefined,
): TypeFinding {
  const board = new Scoreboard(policy);
  scoreText(policy, reading, places, board);
  const told = board.total();
  if (facts !== undefined) scoreRepository(policy, facts, board);
  const candidates = board.candidates();
  const best = candidates[0];
  if (declared !== undefined) {
    const type = declared.trim().toLowerCase();
    return findType({ type, source: "context", confidence: 1, candidates }, "type_declared", `Declared as ${type}`, []);
  }
  if (best === undefined || best.score < policy.policy.min_type_score)
    return findType(
      { type: null, source: "none", confidence: 0, candidates },
      "type_not_evident",
      "Nothing tells the project type",
      [],
    );
  const sum = candidates.reduce((all, { score }) => all + score, 0);
  const source = board.total() - told > told ? "repository" : "text";
  const confidence = Math.round((best.score / sum) * 100) / 100;
  const evidence = board.evidenceFor(best.type);
  return findType(
    { type: best.type, source, confidence, candidates },
    `type_from_${source}`,
    `Speaks for ${best.type}`,
    evidence,
  );
}

function findType(
  finding: ProjectTypeFinding,
  rule_id: string,
  reason: string,
  evidence: readonly Evidence[],
): TypeFinding {
  const outcome = finding.type === null ? "noted" : "passed";
  return { finding, step: { step: "project_type", outcome, rule_id, reason, evidence: [...evidence] } };
}

class Scoreboard {
  readonly #policy: CompiledPolicy;
  readonly #scores: Float64Array;
  /** The points that each strength has given each type so far, to stop at its cap. */
  readonly #given = {
    strong: new Map<number, number>(),
    medium: new Map<number, number>(),
    weak: new Map<number, number>(),
    structure: new Map<number, number>(),
  };
  readonly #evidence: { readonly type: number; readonly score: number; readonly evidence: () => Evidence }[] = [];

  constructor(policy: CompiledPolicy) {
    this.#policy = policy;
    this.#scores = new Float64Array(policy.types.names.length);
  }

  /** Many small signs never outweigh a clear one: each strength counts up to its cap. */
  addCapped(type: number, strength: Strength | "structure", score: number, evidence: () => Evidence): void {
    const given = this.#given[strength];
    const before = given.get(type) ?? 0;
    const allowed = Math.min(score, this.#policy.policy.type_caps[strength] - before);
    if (allowed <= 0) return;
    given.set(type, before + allowed);
    this.add(type, allowed, evidence);
  }

  add(type: number, score: number, evidence: () => Evidence): void {
    this.#scores[type] = (this.#scores[type] ?? 0) + score;
    if (this.#evidence.length < 200) this.#evidence.push({ type, score, evidence });
  }

  total(): number {
    return this.#scores.reduce((sum, score) => sum + score, 0);
  }

  candidates(): { type: string; score: number }[] {
    const { names } = this.#policy.types;
    const scored = names.map((type, index) => ({ type, score: this.#scores[index] ?? 0 }));
    this.#joinFullstack(scored);
    return scored
      .filter(({ score }) => score > 0)
      .map(({ type, score }) => ({ type, score: Math.round(score * 100) / 100 }))
      .sort((a, b) => b.score - a.score || names.indexOf(a.type) - names.indexOf(b.type))
      .slice(0, 5);
  }

  /** A request that speaks clearly of both sides is about both. */
  #joinFullstack(scored: { type: string; score: number }[]): void {
    const of = (name: string) => scored.find(({ type }) => type === name)?.score ?? 0;
    const clear = (name: string) => (this.#given.strong.get(this.#policy.types.names.indexOf(name)) ?? 0) > 0;
    const lesser = Math.min(of("frontend"), of("backend"));
    const greater = Math.max(of("frontend"), of("backend"));
    const fullstack = scored.find(({ type }) => type === "fullstack");
    if (fullstack !== undefined && clear("frontend") && clear("backend") && lesser >= greater * 0.5)
      fullstack.score += greater + 0.5;
  }

  evidenceFor(name: string): Evidence[] {
    const type = this.#policy.types.names.indexOf(name);
    return this.#evidence
      .filter((entry) => entry.type === type)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, MOST_EVIDENCE)
      .map(({ evidence }) => evidence());
  }
}

function scoreText(
  { policy, types }: CompiledPolicy,
  reading: Reading,
  places: readonly string[],
  board: Scoreboard,
): void {
  const weights = policy.type_weights;
  const seen = new Map<number, number>();
  const title = reading.own[0];
  const titleEnd = title === undefined ? 0 : title.end;
  const scan = (tokens: readonly Token[], zone: number) => {
    for (const hit of types.lexicon.scan(tokens)) {
      const cue = types.cues[hit.label];
      const start = tokens[hit.at]?.start ?? 0;
      if (cue === undefined) continue;
      const times = seen.get(hit.label) ?? 0;
      seen.set(hit.label, times + 1);
      const repeat = times === 0 ? 1 : times < 3 ? 0.3 : 0;
      if (repeat === 0) continue;
      const end = tokens[hit.at + hit.length - 1]?.end ?? start;
      const place = start < titleEnd ? weights.title : 1;
      board.addCapped(cue.type, cue.strength, weights[cue.strength] * repeat * zone * place, () =>
        evidenceOf(reading, start, end, cue.cue),
      );
    }
  };
  for (const zone of reading.zones) scan(zone.tokens, zone.code ? weights.code : 1);
  scoreStructure(types, reading, places, board);
}

function scoreStructure(types: CompiledTypes, reading: Reading, places: readonly string[], board: Scoreboard): void {
  for (const [feature, count] of structureOf(reading, places))
    for (const { type, weight } of types.structure.get(feature) ?? [])
      board.addCapped(type, "structure", weight * (count > 1 ? 1.3 : 1), () => evidenceOf(reading, 0, 0, feature));
}

function scoreRepository({ policy, types }: CompiledPolicy, facts: RepositoryFacts, board: Scoreboard): void {
  const weight = policy.type_weights.repository;
  const fact = (text: string, says: string): Evidence => ({ source: "repository", start: 0, end: 0, text, says });
  types.names.forEach((name, type) => {
    for (const pattern of policy.types[name]?.files ?? []) {
      const file = facts.files.find((path) => matchesFile(pattern, path));
      if (file !== undefined) board.add(type, weight, () => fact(file, pattern));
    }
  });
  const counted = new Set<string>();
  for (const dependency of facts.dependencies) {
    const plain = dependency.toLowerCase();
    if (counted.has(plain)) continue;
    counted.add(plain);
    for (const type of types.dependencies.get(plain) ?? [])
      board.add(type, weight, () => fact(dependency, "dependency"));
  }
}
