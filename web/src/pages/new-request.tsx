import { type FormEvent, useCallback, useEffect, useState } from "react";
import { asProblem, post, type Problem } from "../api.ts";
import { formatCost, formatCount, words } from "../format.ts";
import { Empty, Refused, Shown, Trouble } from "../parts/states.tsx";
import { AdrChoice } from "./adr-choice.tsx";
import { RequestProgress } from "./request-progress.tsx";
import type { Inbox, Preview, ProjectLine, SubmittedRequest } from "../types.ts";
import { useAction } from "../use-action.ts";
import { type Resource, useResource } from "../use-resource.ts";

/** A sentence or a decision record becomes a request: what intake and routing say of words is shown while one types. */
export default function NewRequestPage({ inbox }: { readonly inbox: Resource<Inbox> }) {
  const projects = useResource<{ projects: ProjectLine[] }>("/projects");
  return (
    <section aria-labelledby="new">
      <h1 id="new">New request</h1>
      <Shown of={projects}>
        {({ projects: all }) => {
          const open = all.filter(({ problem }) => problem === null);
          if (open.length === 0)
            return (
              <Empty>
                No project is served. <code>coordinator projects add</code> adds one.
              </Empty>
            );
          return <RequestForm projects={open} inbox={inbox.value} />;
        }}
      </Shown>
    </section>
  );
}

interface FormProps {
  readonly projects: readonly ProjectLine[];
  readonly inbox: Inbox | null;
}

function RequestForm({ projects, inbox }: FormProps) {
  const [project, setProject] = useState(projects[0]?.id ?? "");
  const [byAdr, setByAdr] = useState(false);
  const [adr, setAdr] = useState("");
  const [text, setText] = useState("");
  const [isTechnical, setTechnical] = useState(false);
  const [isOver, setOver] = useState(false);
  const { preview, previewProblem } = usePreview(project, byAdr ? "" : text);
  const { start, pending, problem, done } = useAction(
    useCallback(async (to: string, body: object) => {
      const sent = await post<SubmittedRequest>(`/projects/${encodeURIComponent(to)}/requests`, body);
      setOver(false);
      return sent;
    }, []),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start(project, byAdr ? { adr } : { text, ...(isTechnical ? { type: "technical" } : {}) });
  };

  if (done !== null && !isOver) return <RequestProgress first={done} inbox={inbox} again={() => setOver(true)} />;
  return (
    <form className="request" onSubmit={submit}>
      {projects.length > 1 && (
        <label>
          Project{" "}
          <select value={project} onChange={(event) => setProject(event.target.value)}>
            {projects.map(({ id, name, root }) => (
              <option key={id} value={id}>
                {name} ({root})
              </option>
            ))}
          </select>
        </label>
      )}
      <fieldset className="choices">
        <legend>Asked by</legend>
        <label>
          <input type="radio" name="by" checked={!byAdr} onChange={() => setByAdr(false)} /> words
        </label>
        <label>
          <input type="radio" name="by" checked={byAdr} onChange={() => setByAdr(true)} /> a decision record (ADR)
        </label>
      </fieldset>
      {byAdr ? (
        <AdrChoice project={project} chosen={adr} choose={setAdr} />
      ) : (
        <>
          <label>
            What should be done?
            <textarea rows={5} value={text} onChange={(event) => setText(event.target.value)} required />
          </label>
          <label>
            <input type="checkbox" checked={isTechnical} onChange={(event) => setTechnical(event.target.checked)} />{" "}
            This is a technical instruction: plan it without asking what must be true of the result
          </label>
          {preview !== null && <Previewed preview={preview} />}
          {previewProblem !== null && (
            <Trouble problem={previewProblem} head="It cannot be judged before it is sent." />
          )}
        </>
      )}
      <button type="submit" className="primary" disabled={pending || (byAdr ? adr === "" : text.trim() === "")}>
        Plan it
      </button>
      <p className="quiet">A plan is made and waits for your approval. Nothing is carried out before.</p>
      <Refused problem={problem} />
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
      setProblem(null);
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
          if (!isOver) setProblem(asProblem(error));
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
    <div className="card" role="status" aria-label="How it is understood">
      <p>
        <strong>{words(intake.decision)}</strong>: {intake.reason} <span className="quiet">({intake.rule_id})</span>
      </p>
      {route.classification !== null && (
        <p>
          Goes to <strong>{route.routed_to ?? "a person"}</strong>: {words(route.classification.category)}{" "}
          <span className="quiet">({route.classification.rule_id})</span>
        </p>
      )}
      {intake.questions.length > 0 && (
        <>
          <p>It will ask you:</p>
          <ul>
            {intake.questions.map(({ question }) => (
              <li key={question}>{question}</li>
            ))}
          </ul>
        </>
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
