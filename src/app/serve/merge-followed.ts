import type { EventFeed, SentEvent } from "./event-feed.js";

/** A project that is followed, and where its viewer was. */
export interface Followed {
  readonly id: string;
  readonly feed: EventFeed;
  readonly after: number;
}

/**
 * Follow several projects in one stream. The id of each event says where the viewer is in all of them: `prj_a:12,prj_b:7`.
 *
 * Contract: events of one project stay in their order. Nothing is read ahead of the viewer but one page of each project.
 */
export async function* mergeFollowed(
  projects: readonly Followed[],
  signal: AbortSignal,
): AsyncGenerator<readonly SentEvent[]> {
  const positions = new Map(projects.map(({ id, after }) => [id, after]));
  const sources = projects.map(({ id, feed, after }) => ({
    id,
    iterator: feed.followAll(after, signal)[Symbol.asyncIterator](),
  }));
  const nextOf = async (source: (typeof sources)[number]) => ({ source, result: await source.iterator.next() });
  const pending = new Map(sources.map((source) => [source, nextOf(source)]));
  const describePositions = () => [...positions].map(([id, position]) => `${id}:${position}`).join(",");
  while (pending.size > 0 && !signal.aborted) {
    const { source, result } = await Promise.race(pending.values());
    if (result.done === true) {
      pending.delete(source);
      continue;
    }
    yield result.value.map(({ id, data }) => {
      positions.set(source.id, Number(id));
      return { id: describePositions(), data };
    });
    pending.set(source, nextOf(source));
  }
}
