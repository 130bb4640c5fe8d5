// The person of a walk: knows that the change is right, because others have taken it, and says so where that is asked.
// Never accepts a result without proof and never edits settings; what cannot be answered so ends the walk.

const MOST_ANSWERS = 8;

/** Goes on with a run as long as it asks for what this person grants. Gives every answer, and what nobody answered. */
export function answerAll(coordinator, runId) {
  const answers = [];
  const streams = [];
  while (answers.length < MOST_ANSWERS) {
    const [entry] = openOf(coordinator, runId);
    if (entry === undefined) return { answers, open: null, streams };
    const answer = answerTo(entry);
    if (answer === null) return { answers, open: told(entry), streams };
    const { code, last } = coordinator(...answer.args, "--run", runId);
    answers.push(answer.said);
    if (code !== 0) return { answers, open: `${answer.said} was refused: ${last.message ?? `exit ${code}`}`, streams };
    streams.push(coordinator("run", "--resume", runId, "--yes"));
  }
  return { answers, open: `more than ${MOST_ANSWERS} questions`, streams };
}

function openOf(coordinator, runId) {
  return (coordinator("inbox").last.entries ?? []).filter((entry) => entry.run_id === runId);
}

/** The command that answers, and what it grants; null for what this person does not decide. */
function answerTo(entry) {
  const { id, kind, request } = entry;
  if (kind === "scope_request")
    return { said: `wider scope: ${(request?.write ?? []).join(", ")}`, args: ["approve", id] };
  if (kind === "review" || kind === "approval") return { said: `approved ${id}`, args: ["approve", id] };
  return null;
}

function told({ kind, about, escalation }) {
  return `${kind}: ${about ?? escalation?.message ?? "?"}`.slice(0, 400);
}
