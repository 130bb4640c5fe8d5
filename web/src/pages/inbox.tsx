import { useState } from "react";
import { plural } from "../format.ts";
import { useNoticeSwitch } from "../notices.ts";
import { BatchBar, keyOf } from "../parts/batch-bar.tsx";
import { EntryCard } from "../parts/entry-card.tsx";
import { Link } from "../parts/link.tsx";
import { PullCard } from "../parts/pull-card.tsx";
import { RunTable } from "../parts/run-table.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { isOver } from "../parts/status.tsx";
import { runAddress } from "../router.ts";
import { useMayDecide } from "../session.ts";
import type { Inbox } from "../types.ts";
import { isPlannedRequest, useAllRuns } from "../use-runs.ts";
import type { Resource } from "../use-resource.ts";

const MOST_ENDED = 8;

/** Where one is needed, over all projects; then what runs, and what ended. */
export function InboxPage({ inbox }: { readonly inbox: Resource<Inbox> }) {
  const all = useAllRuns();
  const names = all.value?.names ?? new Map<string, string>();
  const spendOf = (run: string) => all.value?.runs.find(({ run_id }) => run_id === run)?.spend;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const mayDecide = useMayDecide();
  const toggle = (key: string) => {
    const now = new Set(selected);
    if (!now.delete(key)) now.add(key);
    setSelected(now);
  };
  return (
    <>
      <section aria-labelledby="needs-you">
        <div className="heading">
          <h1 id="needs-you">Needs you</h1>
          <NoticeSwitch />
        </div>
        <Shown of={inbox}>
          {({ entries, standing, on_host, to_send, problems }) => (
            <>
              {entries.length + on_host.length + to_send.length === 0 && <Empty>Nothing waits on you.</Empty>}
              {mayDecide && entries.length > 1 && (
                <BatchBar entries={entries} selected={selected} select={setSelected} />
              )}
              {entries.map((entry) => (
                <EntryCard
                  key={keyOf(entry)}
                  entry={entry}
                  projectName={names.get(entry.project) ?? entry.project}
                  spend={spendOf(entry.run_id)}
                  selection={
                    entries.length > 1
                      ? { isSelected: selected.has(keyOf(entry)), toggle: () => toggle(keyOf(entry)) }
                      : undefined
                  }
                />
              ))}
              {standing.map(({ project, run_id, done, total }) => (
                <p key={run_id} className="card">
                  <strong>Nobody works on this run.</strong> {done} of {plural(total, "task")} done.{" "}
                  <Link to={runAddress(project, run_id)}>Open it to resume it</Link>
                </p>
              ))}
              {on_host.map((pull) => (
                <PullCard key={`${pull.project} ${pull.run_id} ${pull.pull}`} pull={pull} />
              ))}
              {to_send.map(({ project, run_id, repository, reason, command }) => (
                <p key={`${project} ${run_id}`} className="card">
                  <strong>A pull request waits on its host.</strong> {run_id} at {repository}: {reason}.{" "}
                  <code>{command}</code>
                </p>
              ))}
              {problems.map((problem) => (
                <p key={problem} className="trouble" role="alert">
                  {problem}
                </p>
              ))}
            </>
          )}
        </Shown>
      </section>
      <Shown of={all}>
        {({ runs }) => {
          const active = runs.filter(({ status }) => !isOver(status));
          const ended = runs.filter(({ status, run_id }) => isOver(status) && !isPlannedRequest({ run_id, status }));
          return (
            <>
              <section aria-labelledby="active">
                <h2 id="active">Running and next</h2>
                {active.length === 0 ? (
                  <Empty>No run is active.</Empty>
                ) : (
                  <RunTable label="Running and next" runs={active} names={names} />
                )}
              </section>
              <section aria-labelledby="ended">
                <h2 id="ended">Finished</h2>
                {ended.length === 0 ? (
                  <Empty>No run has ended yet.</Empty>
                ) : (
                  <RunTable label="Finished" runs={ended.slice(0, MOST_ENDED)} names={names} />
                )}
                {ended.length > MOST_ENDED && (
                  <p>
                    <Link to="/runs">All runs</Link>
                  </p>
                )}
              </section>
            </>
          );
        }}
      </Shown>
    </>
  );
}

function NoticeSwitch() {
  const { state, toggle } = useNoticeSwitch();
  if (state === "impossible") return null;
  if (state === "blocked") return <span className="quiet">Your browser blocks notices from this page.</span>;
  return (
    <button type="button" className="plain" aria-pressed={state === "on"} onClick={toggle}>
      {state === "on" ? "Desktop notices are on: switch off" : "Notify me on this desktop"}
    </button>
  );
}
