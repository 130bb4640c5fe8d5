import { useEffect, useRef, useState } from "react";
import { Empty, Loading, Trouble } from "../parts/states.tsx";
import { useOutput } from "./use-output.ts";

interface OutputProps {
  readonly project: string;
  readonly run: string;
  readonly task: string;
  readonly attempt: number;
}

/** Shows words and actions of the agent, as they come. Read only while somebody has it open. */
export function Output(props: OutputProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className="output" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Output of the agent, attempt {props.attempt}</summary>
      {open && <Followed {...props} />}
    </details>
  );
}

const SIGNS = { message: "", tool: "⚙ ", stage: "· " };

function Followed({ project, run, task, attempt }: OutputProps) {
  const { lines, cut, live, problem } = useOutput(project, run, task, attempt);
  const [wanted, setWanted] = useState("");
  const found = wanted === "" ? lines : lines.filter(({ text }) => text.toLowerCase().includes(wanted.toLowerCase()));
  const log = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    // Somebody who scrolled back reads there, and is not taken away from it.
    if (log.current !== null && atEnd.current) log.current.scrollTop = log.current.scrollHeight;
  }, [found.length]);
  const noteScroll = () => {
    const { current } = log;
    if (current !== null) atEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < 24;
  };
  if (live === null) return problem === null ? <Loading /> : <Trouble problem={problem} />;
  return (
    <>
      {problem !== null && <Trouble problem={problem} head="This may be out of date." />}
      <p className="choices">
        <span className="quiet">{live ? "▶ The agent works; this is followed." : "■ The agent has ended."}</span>
        <label>
          Search the output <input type="search" value={wanted} onChange={(event) => setWanted(event.target.value)} />
        </label>
      </p>
      {cut && <p className="quiet">Earlier output is left out.</p>}
      {lines.length === 0 && <Empty>{live ? "It has said nothing yet." : "It said nothing."}</Empty>}
      {lines.length > 0 && found.length === 0 && <Empty>Nothing of it has these words.</Empty>}
      <div
        className="output-log"
        role="log"
        aria-live="off"
        aria-label="Output of the agent"
        tabIndex={0}
        ref={log}
        onScroll={noteScroll}
      >
        {found.map(({ id, kind, text }) => (
          <p key={id} className={kind}>
            {SIGNS[kind]}
            {text}
          </p>
        ))}
      </div>
    </>
  );
}
