import { useEffect } from "react";
import { formatAge, formatDuration, plural } from "../format.ts";
import { runAddress } from "../router.ts";
import type { StoreWorkers, Workers } from "../types.ts";
import { always, useResource } from "../use-resource.ts";
import { Link } from "./link.tsx";
import { Scroll } from "./scroll.tsx";
import { Empty, Trouble } from "./states.tsx";
import { Heads } from "./heads.tsx";

/** How often workers are looked at again: they come and go without an event. */
const LOOK_MS = 10_000;
const MOST_WAITING = 20;

/** The workers of the stores that projects share; nothing where every project keeps its runs on this machine. */
export function WorkersSection() {
  const { value, problem, reload } = useResource<Workers>("/workers", always);
  const isShown = value !== null && value.stores.length > 0;
  useEffect(() => {
    if (!isShown) return undefined;
    const timer = setInterval(reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [isShown, reload]);
  if (!isShown) return problem === null ? null : <Trouble problem={problem} head="The workers could not be listed." />;
  return value.stores.map((store) => <OfStore key={store.store} of={store} />);
}

function OfStore({ of: { store, workers, waiting, projects, problem } }: { readonly of: StoreWorkers }) {
  const now = Date.now();
  const [project = ""] = projects;
  const toRun = (run: string) => <Link to={runAddress(project, run)}>{run}</Link>;
  return (
    <section aria-label={`Workers of ${store}`}>
      <h2>
        Workers <span className="quiet">of {store}</span>
      </h2>
      {problem !== null && <Trouble problem={problem} head="The store did not answer." />}
      {problem === null && workers.length === 0 && (
        <Empty>
          No worker is there. Start one: <code>coordinator worker --postgres URL --git REMOTE</code>
        </Empty>
      )}
      {workers.length > 0 && (
        <Scroll label={`Workers of ${store}`}>
          <table>
            <Heads of={["Worker", "Does", "Has", "Lacks", "Since"]} />
            <tbody>
              {workers.map(({ id, version, capacity, abilities, doing, draining, problem: trouble, since }) => (
                <tr key={id}>
                  <td>
                    {id} <span className="quiet">version {version}</span>
                    {trouble !== null && <span className="bad"> ✕ {trouble}</span>}
                  </td>
                  <td>
                    {doing.length} of {capacity}
                    {draining && <span className="quiet"> · ends when that is done</span>}
                    <ul>
                      {doing.map(({ run_id, effect_id, since: from }) => (
                        <li key={`${run_id} ${effect_id}`}>
                          {toRun(run_id)} {effect_id} <span className="quiet">{formatAge(from, now)}</span>
                        </li>
                      ))}
                    </ul>
                  </td>
                  <td>
                    sandbox {abilities.sandbox}
                    {abilities.without_sandbox && " or none"}; agents {list(abilities.agents)}; labels{" "}
                    {list(abilities.labels)}; data {list(abilities.accepts)}
                  </td>
                  <td>{abilities.lacks.length === 0 ? "nothing" : abilities.lacks.join(", ")}</td>
                  <td>{formatAge(since, now)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {waiting.length > 0 && (
        <>
          <h3>{plural(waiting.length, "piece of work waits", "pieces of work wait")} for a worker</h3>
          <ul>
            {waiting.slice(0, MOST_WAITING).map(({ run_id, effect_id, seconds, lacks }) => (
              <li key={`${run_id} ${effect_id}`}>
                {toRun(run_id)} {effect_id} for {formatDuration(seconds * 1000)}
                <span className="quiet"> · {whyItWaits(workers, lacks)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const list = (names: readonly string[]) => (names.length === 0 ? "none" : names.join(", "));

function whyItWaits(workers: StoreWorkers["workers"], lacks: Readonly<Record<string, readonly string[]>>): string {
  if (workers.length === 0) return "no worker is there";
  if (workers.some(({ id }) => (lacks[id] ?? []).length === 0)) return "the workers that fit have no room";
  return workers.map(({ id }) => `${id} lacks ${(lacks[id] ?? []).join(", ")}`).join("; ");
}
