import type { GraphDraft } from "./draft.js";
import type { Wires } from "./topology.js";

export function wiresOf({ nodes, wires: { from, to } }: GraphDraft): Wires {
  return { size: nodes.length, from, to };
}
