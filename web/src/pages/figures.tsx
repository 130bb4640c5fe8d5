import { useState } from "react";
import { ByAgent } from "../figures/by-agent.tsx";
import { Estimates } from "../figures/estimates.tsx";
import { OverTime } from "../figures/over-time.tsx";
import { plural } from "../format.ts";
import { Scroll } from "../parts/scroll.tsx";
import { Empty, Shown, Trouble } from "../parts/states.tsx";
import type { Figures, ProjectLine, Series, Stats } from "../types.ts";
import { always, useResource } from "../use-resource.ts";
import { Heads } from "../parts/heads.tsx";

const PERIODS = [7, 30, 90, 366];

/** Cost and tokens over time, how agents do, and for each project its success criteria and its estimates. */
export default function FiguresPage() {
  const projects = useResource<{ projects: ProjectLine[] }>("/projects");
  return (
    <>
      <h1>Figures</h1>
      <Shown of={projects}>
        {({ projects: all }) => {
          if (all.length === 0) return <Empty>No project is served.</Empty>;
          return (
            <>
              <AllProjects names={new Map(all.map(({ id, name }) => [id, name]))} />
              {all.map(({ id, name, problem }) => (
                <section key={id} aria-label={name}>
                  <h2>{name}</h2>
                  {problem === null ? <ProjectFigures project={id} /> : <Trouble problem={problem} />}
                </section>
              ))}
            </>
          );
        }}
      </Shown>
    </>
  );
}

function AllProjects({ names }: { readonly names: ReadonlyMap<string, string> }) {
  const [days, setDays] = useState(30);
  const series = useResource<Series>(`/series?days=${days}`, always);
  return (
    <section aria-label="All projects">
      <div className="heading">
        <h2>All projects</h2>
        <label>
          Period{" "}
          <select value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {PERIODS.map((count) => (
              <option key={count} value={count}>
                {count} days
              </option>
            ))}
          </select>
        </label>
      </div>
      <Shown of={series}>
        {(value) => (
          <>
            <OverTime series={value} names={names} />
            <ByAgent series={value} />
            {value.problems.map((problem) => (
              <p key={problem} className="trouble" role="alert">
                {problem}
              </p>
            ))}
          </>
        )}
      </Shown>
    </section>
  );
}

function ProjectFigures({ project }: { readonly project: string }) {
  const isOfProject = (event: { readonly project: string }) => event.project === project;
  const path = `/projects/${encodeURIComponent(project)}`;
  const stats = useResource<Stats>(`${path}/stats`, isOfProject);
  const figures = useResource<Figures>(`${path}/figures`, isOfProject);
  return (
    <>
      <Shown of={stats}>{(value) => <Criteria stats={value} />}</Shown>
      <Shown of={figures}>{(value) => <Estimates project={project} figures={value} />}</Shown>
    </>
  );
}

function Criteria({ stats: { criteria, runs } }: { readonly stats: Stats }) {
  return (
    <Scroll label="Success criteria">
      <table>
        <caption>Success criteria over {plural(runs, "run")}</caption>
        <Heads of={["Criterion", "Value", "Wanted", "Met", "Basis"]} />
        <tbody>
          {criteria.map(({ id, title, value, unit, target, met, cases, counted, detail }) => (
            <tr key={id}>
              <td>{title}</td>
              <td className="unbroken">{value === null ? "not known" : `${value} ${unit}`}</td>
              <td className="unbroken">
                {target.at === "under" ? "under" : `at ${target.at}`} {target.value} {unit}
              </td>
              <td>
                {met === null ? "–" : met ? <span className="good">✓ yes</span> : <span className="bad">✕ no</span>}
              </td>
              <td className="quiet basis">
                {cases} {counted}; {detail}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
