import { useEffect, useMemo, useState } from "react";
import type { VisibleGraph } from "./groups.ts";
import { SIZE } from "./nodes.tsx";
import { type Lane, placeItems, type Point } from "./own-layout.ts";

/** Above this the kernel takes seconds, and the picture is not readable anyway. */
const MOST_BY_KERNEL = 150;

/**
 * Where everything stands: at once by the own layout, and by the layout kernel once it has answered. Lanes are always by the
 * own layout, which the kernel cannot draw. Nothing moves when only states change.
 */
export function usePlaces(
  visible: VisibleGraph,
  withLanes: boolean,
): { readonly places: ReadonlyMap<string, Point>; readonly lanes: readonly Lane[]; readonly shape: string } {
  const shape = useMemo(
    () => [...visible.items.map(({ id }) => id), ...visible.edges.map(({ from, to }) => `${from}→${to}`)].join("\n"),
    [visible],
  );
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the shape stands for everything that moves something
  const own = useMemo(() => placeItems(visible, withLanes), [shape, withLanes]);
  const [kernel, setKernel] = useState<{ shape: string; places: ReadonlyMap<string, Point> } | null>(null);
  useEffect(() => {
    if (withLanes || visible.items.length > MOST_BY_KERNEL) return undefined;
    let isOver = false;
    import("./elk-layout.ts")
      .then(({ placeByElk }) => placeByElk(visible, SIZE))
      .then((places) => {
        if (!isOver) setKernel({ shape, places });
      })
      // The own layout stays.
      .catch((error: unknown) => console.warn("The layout kernel did not answer.", error));
    return () => {
      isOver = true;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- as above
  }, [shape, withLanes]);
  const isByKernel = !withLanes && kernel?.shape === shape;
  return {
    places: isByKernel ? kernel.places : own.places,
    lanes: own.lanes,
    shape: `${isByKernel ? "kernel" : "own"} ${String(withLanes)} ${shape}`,
  };
}
