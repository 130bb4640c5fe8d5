import { type FormEvent, useEffect, useState } from "react";
import { asProblem, post, Problem, read } from "../api.ts";
import { formatCost, formatCount, words } from "../format.ts";
import { Link } from "../parts/link.tsx";
import { Empty, Shown, Trouble } from "../parts/states.tsx";
import { runAddress } from "../router.ts";
import type { Preview, ProjectLine, SubmittedRequest } from "../types.ts";
import { useResource } from "../use-resource.ts";

/** A sentence becomes a request: what intake and routing say of it is shown while one types. */
export function NewRequestPage() {
  const projects = useResource<{ projects: ProjectLine[] }>("/projects");
  return (
    <section aria-labelledby="new">
      <h1 id="new">New request</h1>
      <Shown of={projects}>
        {({ projects: all }) => {
          const open = all.filter(({ problem }) => problem === null);
          if (open.length === 0) return <Empty>No project is served. `coordinator projects add` adds one.</Empty>;
          return <RequestForm projects={open} />;
        }}
      </Shown>
    </section>
  );
}

function RequestForm({ projects }: { readonly projects: readonly ProjectLine[] }) {
  const [project, setProject] = useState(projects[0]?.id ?? "");
  const [text, setText] = useState("");
  const [isTechnical, setTechnical] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [submitted, setSubmitted] = useState<SubmittedRequest | null>(null);
  const { preview, previewProblem } = usePreview(project, text);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setProblem(null);
    try {
      const body = { text, ...(isTechnical ? { type: "technical" } : {}) };
      setSubmitted(await post<SubmittedRequest>(`/projects/${encodeURIComponent(project)}/requests`, body));
    } catch (error) {
      setProblem(asProblem(error));
    }
  }

  if (submitted !== null) return <Progress first={submitted} again={() => setSubmitted(null)} />;
  return (
    <form className="request" onSubmit={(event) => void submit(event)}>
      {projects.length > 1 && (
        <label>
          Project
          <select value={project} onChange={(event) => setProject(event.target.value)}>
            {projects.map(({ id, name, root }) => (
              <option key={id} value={id}>
                {name} ({root})
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        What should be done?
        <textarea rows={5} value={text} onChange={(event) => setText(event.target.value)} required />
      </label>
      <label>
        <input type="checkbox" checked={isTechnical} onChange={(event) => setTechnical(event.target.checked)} /> This is
        a technical instruction: plan it without asking what must be true of the result
      </label>
      {preview !== null && <Previewed preview={preview} />}
      {previewProblem !== null && <Trouble problem={previewProblem} />}
      <button type="submit" className="primary" disabled={text.trim() === ""}>
        Plan it
      </button>
      <p className="quiet">A plan is made and waits for your approval. Nothing is carried out before.</p>
      {problem !== null && <Trouble problem={problem} />}
    </form>
  );
}

const TYPING_MS = 400;

function usePreview(project: string, text: string) {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [previewProblem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    if (text.trim() === "") {
      setPreview(null);
      return undefined;
    }
    let isOver = false;
    const timer = setTimeout(() => {
      post<Preview>(`/projects/${encodeURIComponent(project)}/preview`, { text })
        .then((value) => {
          if (isOver) return;
          setPreview(value);
          setProblem(null);
        })
        .catch((error: unknown) => {
          if (!isOver && error instanceof Problem) setProblem(error);
        });
    }, TYPING_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [project, text]);
  return { preview, previewProblem };
}

function Previewed({ preview: { intake, route } }: { readonly preview: Preview }) {
  return (
    <div className="card" role="status" aria-label="What intake and routing say">
      <p>
        <strong>{words(intake.decision)}</strong>: {intake.reason} <span className="quiet">({intake.rule_id})</span>
      </p>
      {route.classification !== undefined && (
        <p>
          Goes to <strong>{route.routed_to}</strong>: {words(route.classification.category)}{" "}
          <span className="quiet">({route.classification.rule_id})</span>
        </p>
      )}
      {intake.estimate !== null && (
        <p className="quiet">
          About {formatCount(intake.estimate.tokens)} tokens
          {intake.estimate.cost_usd === null ? "" : `, ${formatCost(intake.estimate.cost_usd)}`}.
        </p>
      )}
    </div>
  );
}

/** The request on its way: until it has a run, or has ended without one. */
function Progress({ first, again }: { readonly first: SubmittedRequest; readonly again: () => void }) {
  const [now, setNow] = useState(first);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    if (now.state === "ended") return undefined;
    const timer = setTimeout(() => {
      read<SubmittedRequest>(`/projects/${encodeURIComponent(first.project)}/requests/${first.request_id}`)
        .then(setNow)
        .catch((error: unknown) => setProblem(asProblem(error)));
    }, 700);
    return () => clearTimeout(timer);
  }, [now, first]);
  return (
    <div>
      <p role="status">{now.state === "working" ? "The plan is being made …" : "Planning has ended."}</p>
      <ul className="plain-list">
        {now.progress.map((line, index) => (
          // Lines of progress are only ever added.
          <li key={index}>{line}</li>
        ))}
      </ul>
      {now.report?.message !== undefined && now.run_id === null && <p>{now.report.message}</p>}
      {now.run_id !== null && (
        <p>
          <Link to={runAddress(first.project, now.run_id, "plan")} className="button">
            Open the run and read its plan
          </Link>
        </p>
      )}
      {problem !== null && <Trouble problem={problem} />}
      {now.state === "ended" && (
        <p>
          <Link to="/">What waits on you</Link> ·{" "}
          <button type="button" className="plain" onClick={again}>
            Another request
          </button>
        </p>
      )}
    </div>
  );
}
