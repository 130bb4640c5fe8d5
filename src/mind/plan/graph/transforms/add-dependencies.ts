import type { EdgeType } from "../../../../model/plan/graph.js";
import type { IntentTask } from "../../../../model/task.js";
import { clip } from "../../transition.js";
import { PairTable } from "../../rules/pair-table.js";
import type { GraphDraft, GraphSource, PhaseSlot } from "../draft.js";

/** Phases whose work is what a review approves; a gate stands before them. */
const AFTER_REVIEW = new Set(["release", "operations", "postmortem"]);

/**
 * The edges: a phase leads to its questions, decisions, gates and actions, and all of those lead to the next phase.
 * Actions of a phase stand beside each other unless one needs another.
 */
export function addDependencies(draft: GraphDraft, source: GraphSource): void {
  const needed = addNeeds(draft, source);
  wireActions(draft, needed);
  wirePhases(draft, needed);
}

interface Needs {
  /** Actions that another action of the same slot comes after: they do not end the phase. */
  readonly hasFollower: Uint8Array;
  /** Actions that follow another action of the same slot: they do not start the phase. */
  readonly hasPredecessor: Uint8Array;
  /** Actions that follow one which the same decision lets in: the decision leads to them through it. */
  readonly letInAlready: Uint8Array;
}

function addNeeds(draft: GraphDraft, { actions, parsed }: GraphSource): Needs {
  const hasFollower = new Uint8Array(actions.length);
  const hasPredecessor = new Uint8Array(actions.length);
  const letInAlready = new Uint8Array(actions.length);
  const note = (first: number, second: number) => {
    if (draft.slotOfAction[first] !== draft.slotOfAction[second]) return;
    hasFollower[first] = 1;
    hasPredecessor[second] = 1;
  };
  const byCommand = new Map<string, number[]>();
  for (let i = 0; i < actions.length; i++) {
    const { planned } = actions[i] as (typeof actions)[number];
    const same = byCommand.get(planned.command_id);
    if (same === undefined) byCommand.set(planned.command_id, [i]);
    else same.push(i);
  }
  const { tasks, places } = parsed;
  // The tasks' actions come last, in the order of the tasks.
  const firstTask = actions.length - tasks.length;
  for (let t = 0, at = 0; t < tasks.length; t++) {
    const i = firstTask + t;
    for (let left = (tasks[t] as IntentTask).dependencies.length; left > 0; left--) {
      const first = firstTask + (places.dependencies[at++] as number);
      draft.addEdge(draft.actionNodes[first] as number, draft.actionNodes[i] as number, "sequential");
      if (draft.decisionOfAction[first] === draft.decisionOfAction[i]) letInAlready[i] = 1;
      note(first, i);
    }
  }
  for (const [, followers] of byCommand) {
    const { entry } = actions[followers[0] as number] as (typeof actions)[number];
    // All actions of one command share one phase and few decision points: leading into those keeps the edges few.
    const decisions = new Set(
      entry.needs.length === 0 ? [] : followers.map((f) => draft.decisionOfAction[f] as number),
    );
    for (const need of entry.needs) {
      const before = byCommand.get(need) ?? [];
      for (const first of before)
        for (const decision of decisions)
          draft.addEdge(draft.actionNodes[first] as number, decision, "sequential", {
            label: clip(`needs ${need}`, 100),
          });
      if (before.length === 0 || draft.slotOfAction[before[0] as number] !== draft.slotOfAction[followers[0] as number])
        continue;
      for (const first of before) hasFollower[first] = 1;
      for (const follower of followers) hasPredecessor[follower] = 1;
    }
  }
  return { hasFollower, hasPredecessor, letInAlready };
}

function wireActions(draft: GraphDraft, { hasPredecessor, letInAlready }: Needs): void {
  const started = new PairTable(64);
  const starts = (slot: PhaseSlot, node: number, type: EdgeType) => {
    if (started.getOrAdd(slot.node, node, 1) < 0) draft.addEdge(slot.node, node, type);
  };
  for (const slot of draft.slots) {
    const roots = slot.actions.filter((i) => hasPredecessor[i] === 0).length;
    for (const i of slot.actions) {
      const action = draft.actionNodes[i] as number;
      const decision = draft.decisionOfAction[i] as number;
      starts(slot, decision, "sequential");
      const gates = draft.gatesOfAction[i] as readonly number[];
      for (const gate of gates) {
        if (started.getOrAdd(decision, gate, 1) < 0)
          draft.addEdge(decision, gate, "sequential", { label: "review required" });
        draft.addEdge(gate, action, "conditional", { condition: "review approved" });
      }
      if (gates.length === 0 && letInAlready[i] === 0)
        draft.addEdge(decision, action, hasPredecessor[i] === 0 && roots > 1 ? "parallel" : "sequential");
    }
  }
  wireQuestions(draft, starts);
}

/** A question stands between the phase and the actions it touches; one that touches none stands before everything. */
function wireQuestions(draft: GraphDraft, starts: (slot: PhaseSlot, node: number, type: EdgeType) => void): void {
  for (const { node, actions } of draft.questionNodes) {
    const touched = actions.filter((i) => (draft.slotOfAction[i] as number) >= 0);
    const home = draft.slots[touched.length === 0 ? 0 : (draft.slotOfAction[touched[0] as number] as number)];
    if (home !== undefined) starts(home, node, "sequential");
    for (const i of touched)
      draft.addEdge(node, draft.actionNodes[i] as number, "conditional", { condition: "answer received" });
    if (touched.length === 0)
      for (const gate of draft.workGates) draft.addEdge(node, gate, "conditional", { condition: "answer received" });
  }
}

/** Where a slot ends: its actions that no other follows, or the phase itself when it has none. */
function endsOf(draft: GraphDraft, slot: PhaseSlot, { hasFollower }: Needs): number[] {
  const ends = slot.actions.filter((i) => hasFollower[i] === 0).map((i) => draft.actionNodes[i] as number);
  return ends.length > 0 || slot.actions.length > 0 ? ends : [slot.node];
}

function wirePhases(draft: GraphDraft, needs: Needs): void {
  for (const [s, slot] of draft.slots.entries()) {
    const next = draft.slots[s + 1]?.before === s ? draft.slots[s + 1] : undefined;
    const released = AFTER_REVIEW.has(slot.phase);
    const gateHere = !released && (next === undefined || AFTER_REVIEW.has(next.phase)) && draft.workGates.length > 0;
    const ends = endsOf(draft, slot, needs);
    if (gateHere) {
      for (const gate of draft.workGates) {
        for (const end of ends) draft.addEdge(end, gate, "sequential");
        if (next !== undefined) draft.addEdge(gate, next.node, "conditional", { condition: "review approved" });
      }
    } else if (next !== undefined) {
      for (const end of ends) draft.addEdge(end, next.node, "sequential");
    }
  }
  // A plan that starts with a release has nothing to review first; its gates then come last, so that none is lost.
  const first = draft.slots[0];
  if (draft.workGates.length > 0 && draft.slots.every((slot) => AFTER_REVIEW.has(slot.phase)) && first !== undefined)
    for (const slot of draft.slots)
      if (!draft.slots.some((other) => other.before >= 0 && draft.slots[other.before] === slot))
        for (const end of endsOf(draft, slot, needs))
          for (const gate of draft.workGates) draft.addEdge(end, gate, "sequential");
}
