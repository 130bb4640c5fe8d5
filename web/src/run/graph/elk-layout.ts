import ELK from "elkjs/lib/elk-api.js";
import type { VisibleGraph } from "./groups.ts";
import type { Point } from "./own-layout.ts";

/* The Eclipse Layout Kernel draws fewer crossings than columns do. It is large, so it is loaded by the graph alone, in a worker. */

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.spacing.nodeNode": "24",
  "elk.layered.spacing.nodeNodeBetweenLayers": "56",
  "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
  "elk.separateConnectedComponents": "true",
};

let kernel: InstanceType<typeof ELK> | null = null;

function startKernel(): InstanceType<typeof ELK> {
  kernel ??= new ELK({
    workerFactory: () => new Worker(new URL("elkjs/lib/elk-worker.min.js", import.meta.url)),
  });
  return kernel;
}

/** Contract: rejects where the worker cannot be started; the caller keeps the layout it has. */
export async function placeByElk(
  { items, edges }: VisibleGraph,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<ReadonlyMap<string, Point>> {
  const placed = await startKernel().layout({
    id: "root",
    layoutOptions: OPTIONS,
    children: items.map(({ id }) => ({ id, width, height })),
    edges: edges.map(({ from, to }) => ({ id: `${from}→${to}`, sources: [from], targets: [to] })),
  });
  return new Map((placed.children ?? []).map(({ id, x = 0, y = 0 }) => [id, { x, y }]));
}
