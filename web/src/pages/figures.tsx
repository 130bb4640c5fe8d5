import { formatCost, formatCount, plural } from "../format.ts";
import { Scroll } from "../parts/scroll.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import type { Figures, ProjectLine, Stats } from "../types.ts";
import { useResource } from "../use-resource.ts";

/** Success criteria, cost and tokens by agent and over time, for each project. */
export function FiguresPage() {
  const projects = useResource<{ projects: ProjectLine[] }>("/projects");
  return (
    <>
      <h1>Figures</h1>
      <Shown of={projects}>
        {({ projects: all }) => (
          <>
            {all.length === 0 && <Empty>No project is served.</Empty>}
            {all.map(({ id, name, problem }) => (
              <section key={id} aria-label={name}>
                <h2>{name}</h2>
                {problem === null ? <ProjectFigures project={id} /> : <p className="trouble">{problem}</p>}
              </section>
            ))}
          </>
        )}
      </Shown>
    </>
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
      <Shown of={figures}>{({ attempts }) => <ByAgent attempts={attempts} />}</Shown>
    </>
  );
}

function Criteria({ stats: { criteria, runs } }: { readonly stats: Stats }) {
  return (
    <Scroll label="Success criteria">
      <table>
        <caption>Success criteria over {plural(runs, "run")}</caption>
        <thead>
          <tr>
            <th scope="col">Criterion</th>
            <th scope="col">Value</th>
            <th scope="col">Wanted</th>
            <th scope="col">Met</th>
            <th scope="col">Basis</th>
          </tr>
        </thead>
        <tbody>
          {criteria.map(({ id, title, value, unit, target, met, cases, counted, detail }) => (
            <tr key={id}>
              <td>{title}</td>
              <td>{value === null ? "not known" : `${value} ${unit}`}</td>
              <td>
                {target.at === "under" ? "under" : `at ${target.at}`} {target.value} {unit}
              </td>
              <td>
                {met === null ? "–" : met ? <span className="good">✓ yes</span> : <span className="bad">✕ no</span>}
              </td>
              <td className="quiet">
                {cases} {counted}; {detail}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function ByAgent({ attempts }: { readonly attempts: Figures["attempts"] }) {
  if (attempts.length === 0) return <Empty>No agent has worked yet.</Empty>;
  const agents = [...new Set(attempts.map(({ agent }) => agent))].sort();
  const rows = agents.map((agent) => {
    const own = attempts.filter((attempt) => attempt.agent === agent);
    const sum = (key: "tokens" | "cost_usd") => own.reduce((total, attempt) => total + attempt[key], 0);
    const failed = own.filter(({ outcome }) => outcome !== "completed").length;
    return { agent, count: own.length, failed, tokens: sum("tokens"), cost: sum("cost_usd") };
  });
  const most = Math.max(...rows.map(({ cost }) => cost), 1e-9);
  return (
    <Scroll label="Agents">
      <table>
        <caption>Agents</caption>
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col">Attempts</th>
            <th scope="col">Not completed</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ agent, count, failed, tokens, cost }) => (
            <tr key={agent}>
              <td>{agent}</td>
              <td>{count}</td>
              <td>
                {failed} ({Math.round((100 * failed) / count)} %)
              </td>
              <td>{formatCount(tokens)}</td>
              <td>
                <span className="cost-bar" style={{ width: `${(cost / most) * 8}rem` }} /> {formatCost(cost)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
