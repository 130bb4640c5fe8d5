// The person of a walk: knows that the change is right, because its project has taken it, and says so where that is asked.
// Never takes a result that nothing proves, never edits settings; what cannot be answered so ends the walk.

const MOST_ANSWERS = 8;
const WHY = "The project itself has taken this change.";

/** Goes on with a run as long as it asks for what this person grants. Gives every answer, and what nobody answered. */
export function answerAll(coordinator, runId) {
  const answers = [];
  const streams = [];
  while (answers.length < MOST_ANSWERS) {
    const [entry] = openOf(coordinator, runId);
    if (entry === undefined) return { answers, open: null, streams };
    const answer = answerTo(entry);
    if (answer === null) return { answers, open: describeEntry(entry), streams };
    const { code, last } = coordinator(...answer.args, "--run", runId);
    answers.push(answer.said);
    if (code !== 0) return { answers, open: `${answer.said}, refused: ${last.message ?? `exit ${code}`}`, streams };
    streams.push(coordinator("run", "--resume", runId, "--yes"));
  }
  return { answers, open: `more than ${MOST_ANSWERS} questions`, streams };
}

function openOf(coordinator, runId) {
  return (coordinator("inbox").last.entries ?? []).filter((entry) => entry.run_id === runId);
}

/** The command that answers, and what it grants; null for what this person does not decide. */
function answerTo(entry) {
  const { id, kind, request, escalation } = entry;
  if (kind === "scope_request")
    return { said: `wider scope: ${(request?.write ?? []).join(", ")}`, args: ["approve", id] };
  if (kind === "review" || kind === "approval") return { said: `approved ${id}`, args: ["approve", id] };
  // The criteria of a project's type beside its checks are for its own people to look at.
  if (kind === "question" && id.startsWith("criterion:"))
    return { said: `waived: ${id.slice("criterion:".length)}`, args: ["answer", id, `waived: ${WHY}`] };
  if (kind !== "escalation") return null;
  const offers = (order) => (entry.commands ?? []).some((command) => command.includes(`--order ${order}`));
  const { objections = [], guardrails = [], tests = [] } = escalation?.liftable ?? {};
  const of = (wanted) => objections.filter((each) => each.kind === wanted);
  if (of("refused").length > 0 && offers("widen"))
    return { said: `wider scope: ${idsOf(of("refused"))}`, args: ["answer", id, "--order", "widen", "--note", WHY] };
  // Where nothing at all proves the change, its own objection says so.
  if (of("unproven").some(({ id: check }) => check === "*" || check === "setup")) return null;
  const waive = ["answer", id, "--order", "waive", "--note", WHY, ...rolesIn(entry)];
  if (of("unproven").length > 0)
    return { said: `does not count: ${idsOf(of("unproven"))}`, args: [...waive, "--not-applicable"] };
  const rest = [...objections.map((each) => `${each.kind} ${each.id}`), ...guardrails.map((each) => each.rule_id)];
  if (rest.length > 0 || tests.length > 0)
    return { said: `accepted: ${[...rest, ...tests.map(({ name }) => name)].join(", ").slice(0, 160)}`, args: waive };
  return offers("skip") ? { said: "skipped a task", args: ["answer", id, "--order", "skip", "--note", WHY] } : null;
}

function idsOf(objections) {
  return objections
    .map(({ id }) => id)
    .join(", ")
    .slice(0, 160);
}

function rolesIn({ commands = [] }) {
  return commands.flatMap((command) => command.match(/--as \w+/)?.[0].split(" ") ?? []).slice(0, 2);
}

function describeEntry({ kind, about, escalation }) {
  return `${kind}: ${about ?? escalation?.summary ?? "?"}`.slice(0, 400);
}
