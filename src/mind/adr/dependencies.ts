import { fold, plain } from "./fold.js";
import type { Layer } from "./task-kind.js";

/** A task as far as it is known when its dependencies are looked for. Tasks are called by their place in the record. */
export interface Linked {
  readonly text: string;
  readonly layer: Layer;
  readonly ordered: boolean;
  readonly list: number;
  readonly stages: readonly string[];
  readonly paths: readonly string[];
}

export interface Edge {
  readonly on: number;
  readonly reason: string;
}

const FLOW: readonly Layer[] = ["data", "service", "interface"];
const LAYER_NAME: Readonly<Record<string, string>> = { data: "data", service: "service", interface: "interface" };

/**
 * Find what each task has to wait for, with the reason.
 *
 * Contract: without cycles. An order that the record states (numbers, stages, references) comes before one that follows from the
 * flow of data; an edge that would close a circle is left out.
 */
export function findDependencies(
  tasks: readonly Linked[],
  name: (task: number) => string,
): readonly (readonly Edge[])[] {
  const edges: Edge[][] = tasks.map(() => []);
  let forward = false;
  const add = (from: number, on: number, reason: string) => {
    const known = edges[from];
    if (known === undefined || from === on || known.some((edge) => edge.on === on)) return;
    // While every edge points back there is no circle to look for.
    if ((forward || on > from) && reaches(edges, on, from)) return;
    forward ||= on > from;
    known.push({ on, reason });
  };
  for (const [at] of tasks.entries()) statedOrder(tasks, at, add);
  for (const [at, task] of tasks.entries()) references(tasks, at, task, add);
  for (const [at] of tasks.entries()) stageOrder(tasks, at, add);
  for (const [at, task] of tasks.entries()) sharedPaths(tasks, at, task, add, name);
  for (const [at, task] of tasks.entries()) dataFlow(tasks, at, task, add);
  for (const [at, task] of tasks.entries()) follows(tasks, at, task, add, name);
  return edges.map((list) => list.toSorted((a, b) => a.on - b.on));
}

type Add = (from: number, on: number, reason: string) => void;

function reaches(edges: readonly (readonly Edge[])[], from: number, goal: number): boolean {
  const seen = new Set<number>();
  const open = [from];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === goal) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    for (const { on } of edges[next] ?? []) open.push(on);
  }
  return false;
}

function statedOrder(tasks: readonly Linked[], at: number, add: Add): void {
  const [task, before] = [tasks[at], tasks[at - 1]];
  // The last entry of a numbered list may be a bullet by mistake: it is still the last one.
  if (task === undefined || before === undefined || task.list !== before.list || !before.ordered) return;
  add(at, at - 1, "the record numbers them in this order");
}

const AFTER =
  /\b(?:after|once|depends on|requires|following|blocked by|nach|setzt .{0,20} voraus|apres|depend de|despues de|depende de|depois de|dopo|dipende da|na|afhankelijk van)\s+(?:the\s+)?(?:step|task|item|point|no\.?|schritt|aufgabe|etape|tache|paso|tarea|passo|tarefa|stap|taak)?\s*#?(\d{1,3})\b(?!\s*(?:%|ms|s\b|min|minutes?|hours?|days?|weeks?|months?|years?))|(?:在)?(?:步骤|任务|第)\s*(\d{1,3})\s*(?:步)?(?:完成)?(?:之)?后|(?:ステップ|タスク)\s*(\d{1,3})\s*の?後/g;

function references(tasks: readonly Linked[], at: number, { text, list }: Linked, add: Add): void {
  for (const match of fold(plain(text)).matchAll(AFTER)) {
    const number = Number(match[1] ?? match[2] ?? match[3]);
    const inList = tasks.flatMap((task, index) => (task.list === list ? [index] : []));
    const on = inList[number - 1];
    if (on !== undefined) add(at, on, `it says so: "${match[0].trim()}"`);
  }
}

function stageOrder(tasks: readonly Linked[], at: number, add: Add): void {
  const stage = tasks[at]?.stages.join(".") ?? "";
  if (stage === "") return;
  const earlier = tasks.slice(0, at).map(({ stages }) => stages.join("."));
  const previous = earlier.findLast((other) => other !== "" && other !== stage);
  if (previous === undefined) return;
  for (const [on, other] of earlier.entries())
    if (other === previous) add(at, on, `stage ${stage} comes after stage ${previous}`);
}

const MAKES =
  /^(?:create|add|introduce|write|generate|define|build|implement|creer|ajouter|erstell|anleg|crear|criar|creare|maak|创建|添加|新增)/;

function sharedPaths(
  tasks: readonly Linked[],
  at: number,
  task: Linked,
  add: Add,
  name: (task: number) => string,
): void {
  for (const path of task.paths) {
    const on = tasks.findIndex(({ text, paths }) => paths.includes(path) && MAKES.test(fold(plain(text))));
    // Where both make it, the first does.
    if (on !== -1 && on !== at) add(at, on, `it works on ${path.slice(0, 120)}, which ${name(on)} makes`);
  }
}

/** Data before services, services before what shows them, where they are about the same thing. */
function dataFlow(tasks: readonly Linked[], at: number, task: Linked, add: Add): void {
  for (let depth = FLOW.indexOf(task.layer) - 1; depth >= 0; depth--) {
    const layer = FLOW[depth] ?? null;
    const there = tasks.flatMap((other, index) => (other.layer === layer ? [index] : []));
    const close = there.filter((index) => shareWords(task.text, tasks[index]?.text ?? ""));
    const chosen = close.length > 0 ? close : there.length === 1 ? there : [];
    for (const on of chosen)
      add(at, on, `the ${LAYER_NAME[task.layer ?? ""] ?? ""} needs the ${LAYER_NAME[layer ?? ""] ?? ""} under it`);
    if (chosen.length > 0) return;
  }
}

/** Tests and documents come after what they are about: what they name, or all of it when they name nothing. */
function follows(
  tasks: readonly Linked[],
  at: number,
  { layer, text }: Linked,
  add: Add,
  name: (task: number) => string,
): void {
  if (layer !== "test" && layer !== "docs") return;
  const work = tasks.flatMap((other, index) => (other.layer === "test" || other.layer === "docs" ? [] : [index]));
  const named = work.filter((index) => shareWords(text, tasks[index]?.text ?? ""));
  for (const on of named.length > 0 ? named : work)
    add(at, on, `it ${layer === "test" ? "tests" : "documents"} what ${name(on)} makes`);
}

const COMMON = new Set(
  "write add create build implement update test tests testing unit integration documentation document docs readme with from that this into will must should have when where which their them they using used uses make made table endpoint form page service api the and for all new old each every code system data user users feature project".split(
    " ",
  ),
);

function shareWords(a: string, b: string): boolean {
  const words = stems(a);
  return [...stems(b)].some((stem) => words.has(stem));
}

/** The beginnings of a text's own words: "completion" and "completions" are one. */
function stems(text: string): ReadonlySet<string> {
  const words = fold(plain(text)).split(/[^\p{L}\p{N}]+/u);
  return new Set(
    words
      .filter((word) => word.length >= 4 && !COMMON.has(word))
      .map((word) => word.slice(0, 7).replace(/(?:e?s|ed|ing)$/, "")),
  );
}
