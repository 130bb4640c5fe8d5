import type { GraphDraft } from "./draft.js";
import type { Wires } from "./topology.js";

export function wiresOf({ nodes, edges }: GraphDraft): Wires {
  const from = new Int32Array(edges.length);
  const to = new Int32Array(edges.length);
  for (let i = 0; i < edges.length; i++) {
    const edge = edges[i] as (typeof edges)[number];
    from[i] = edge.from;
    to[i] = edge.to;
  }
  return { size: nodes.length, from, to };
}
