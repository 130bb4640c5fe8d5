import { plural } from "../format.ts";
import { Empty, Shown } from "../parts/states.tsx";
import type { AdrList } from "../types.ts";
import { useResource } from "../use-resource.ts";

/** The decision records of a project: which can be carried out, and why the others cannot. */
export function AdrChoice({
  project,
  chosen,
  choose,
}: {
  readonly project: string;
  readonly chosen: string;
  readonly choose: (file: string) => void;
}) {
  const adrs = useResource<AdrList>(`/projects/${encodeURIComponent(project)}/adrs`);
  return (
    <Shown of={adrs}>
      {({ records }) =>
        records.length === 0 ? (
          <Empty>The project has no decision records.</Empty>
        ) : (
          <fieldset className="records">
            <legend>Decision record</legend>
            {records.map((record) => {
              const why = whyNot(record);
              return (
                <label key={record.file} className={why === null ? "card" : "card quiet"}>
                  <input
                    type="radio"
                    name="adr"
                    value={record.file}
                    checked={chosen === record.file}
                    disabled={why !== null}
                    onChange={() => choose(record.file)}
                  />{" "}
                  <strong>{record.title ?? record.file}</strong>{" "}
                  <span className="quiet">
                    {record.status ?? "not readable"} · {plural(record.tasks.length, "task")} ·{" "}
                    <code>{record.file}</code>
                  </span>
                  {why !== null && <span className="why">Cannot be carried out: {why}</span>}
                </label>
              );
            })}
          </fieldset>
        )
      }
    </Shown>
  );
}

function whyNot(record: AdrList["records"][number]): string | null {
  if (record.type === "error") return record.message ?? "it cannot be read";
  if (record.taken !== null && !record.taken.changed) return `${record.taken.run_id} carries it out already`;
  return record.held;
}
