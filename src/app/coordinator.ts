/*
 * The table of contents of the program: the ten stages that a request goes through, and every use case that a front may call.
 *
 * A request becomes a run in ten stages. The first file decides what becomes of it there, by rules that ask nobody; the second one
 * leads through the stage. Each stage may end the request with an answer.
 *
 *    1 intake       accepted, refused, or questions     mind/intake/intake.ts               app/request/run-words.ts
 *    2 route        product or dev, which documents     mind/route/route.ts                 app/request/plan-words.ts
 *    3 specify      an Intent Spec for product          mind/specify/specify.ts             app/request/ask-for-run.ts
 *    4 propose      tasks, judged against the registry  mind/propose/judge-proposal.ts      mind/request/plan-request.ts
 *    5 plan         rules, graph, questions: frozen     mind/plan/plan.ts                   app/plan/planning.ts
 *    6 approve      the contract, a person's word       mind/contract/permit.ts             app/request/plan-and-run.ts
 *    7 attempt      an agent works in a sandbox         mind/scope/judge.ts                 hands/attempts/run-attempts.ts
 *    8 verify       checks on both trees, a verdict     hands/checks/compare.ts             hands/checks/on-trees/prove-trees.ts
 *    9 integrate    merged onto the run's branch        hands/integration/kept-lines.ts     hands/integration/integrate.ts
 *   10 gate         GO or NO_GO, and the response       mind/gate/gate.ts                   app/inspect/respond-run.ts
 *
 * Stages 7 to 10 are moved by one loop over the run's log: mind/run/transition.ts says what follows from an event, and
 * hands/engine/carry-out.ts commits it and acts.
 *
 * Each use case is loaded when it is called, so that a front loads nothing that it does not need.
 */

export const useCases = {
  // Requests, from words, a document, a decision record or a work queue. They end in a run, or in why there is none.
  runFromWords: later(async () => (await import("./request/run-words.js")).runFromWords),
  runRequest: later(async () => (await import("./request/run-words.js")).runRequest),
  runAdr: later(async () => (await import("./adr/adr-approve.js")).runAdr),
  runQueue: later(async () => (await import("./run/queue/run-queue.js")).runQueue),
  watchAdrs: later(async () => (await import("./adr/adr-watch.js")).watchAdrs),

  // One stage of a request alone: nothing is carried out.
  takeIn: later(async () => (await import("./request/intake.js")).takeIn),
  routeRequest: later(async () => (await import("./request/route.js")).routeRequest),
  planOnly: later(async () => (await import("./request/plan-only.js")).planOnly),
  makePlan: later(async () => (await import("./plan/plan.js")).makePlan),
  resumePlan: later(async () => (await import("./plan/plan.js")).resumePlan),
  readRequest: later(async () => (await import("./request/read-request.js")).readRequest),

  // Handed over to a server or to a process in the background: the caller does not wait.
  submitRequest: later(async () => (await import("./hand-over/hand-over.js")).submitRequest),
  showRequest: later(async () => (await import("./hand-over/hand-over.js")).showRequest),
  resumeRun: later(async () => (await import("./hand-over/hand-over.js")).resumeRun),

  // Runs: carried out from a frozen plan, resumed, steered.
  carryOutHere: later(async () => (await import("./run/run-here.js")).carryOutHere),
  resumeWork: later(async () => (await import("./run/resume.js")).resumeWork),
  cancelRun: later(async () => (await import("./decide/decide-entry.js")).cancelRun),
  raiseBudget: later(async () => (await import("./decide/raise-budget.js")).raiseBudget),
  retryTask: later(async () => (await import("./run/retry.js")).retryTask),
  changeTask: later(async () => (await import("./run/change-task.js")).changeTask),
  settleEdits: later(async () => (await import("./run/change-task.js")).settleEdits),

  // Decisions of people: answers, approvals, rejections, trust.
  decideEntry: later(async () => (await import("./decide/decide-entry.js")).decideEntry),
  agreeHere: later(async () => (await import("./decide/agree.js")).agreeHere),
  trustHere: later(async () => (await import("./project/trust-here.js")).trustHere),
  trustProject: later(async () => (await import("./project/trust.js")).trustProject),

  // Inspecting runs, and how they came about.
  listRuns: later(async () => (await import("./inspect/list-runs.js")).listRuns),
  showRun: later(async () => (await import("./inspect/status.js")).showRun),
  watchRun: later(async () => (await import("./inspect/watch.js")).watchRun),
  showInbox: later(async () => (await import("./inspect/inbox.js")).showInbox),
  showResponse: later(async () => (await import("./inspect/response.js")).showResponse),
  listTasks: later(async () => (await import("./run/tasks.js")).listTasks),
  replayRun: later(async () => (await import("./inspect/replay-run.js")).replayRun),
  explainId: later(async () => (await import("./inspect/explain.js")).explainId),
  showStats: later(async () => (await import("./inspect/stats.js")).showStats),
  showBoard: later(async () => (await import("./inspect/show-board.js")).showBoard),
  askPermission: later(async () => (await import("./decide/ask-permission.js")).askPermission),
  handOffSession: later(async () => (await import("./inspect/handoff.js")).handOffSession),
  exportRun: later(async () => (await import("./inspect/export.js")).exportRun),

  // A run in every detail, for fronts that show more than one screen.
  pageOfRuns: later(async () => (await import("./detail/page-of-runs.js")).pageOfRuns),
  showActivity: later(async () => (await import("./detail/show-activity.js")).showActivity),
  showGraph: later(async () => (await import("./detail/show-graph.js")).showGraph),
  showPlan: later(async () => (await import("./detail/show-plan.js")).showPlan),
  compareRunPlans: later(async () => (await import("./detail/show-plan.js")).compareRunPlans),
  showTask: later(async () => (await import("./detail/show-task.js")).showTask),
  showOutput: later(async () => (await import("./detail/show-output.js")).showOutput),
  showConflict: later(async () => (await import("./detail/show-conflict.js")).showConflict),
  showTimeline: later(async () => (await import("./detail/show-timeline.js")).showTimeline),
  listRecords: later(async () => (await import("./detail/show-records.js")).listRecords),
  showRecord: later(async () => (await import("./detail/show-records.js")).showRecord),
  showFigures: later(async () => (await import("./detail/show-figures.js")).showFigures),
  showSeries: later(async () => (await import("./detail/show-series.js")).showSeries),
  showHandoff: later(async () => (await import("./detail/show-handoff.js")).showHandoff),

  // Results: what changed, and taking it onto a branch.
  showDiff: later(async () => (await import("./merge/diff.js")).showDiff),
  mergeIntoBranch: later(async () => (await import("./merge/merge.js")).mergeIntoBranch),

  // Hosts of code: issues in, pull requests out.
  runIssue: later(async () => (await import("./hosts/run-issue.js")).runIssue),
  syncHost: later(async () => (await import("./hosts/sync.js")).syncHost),
  publishRun: later(async () => (await import("./hosts/publish.js")).publishRun),

  // Proof of plans, logs and tapes.
  verify: later(async () => (await import("./prove/verify.js")).verify),
  anchorByHand: later(async () => (await import("./prove/anchor.js")).anchorByHand),

  // Projects: set up, looked at, put in order.
  initialise: later(async () => (await import("./init/init.js")).initialise),
  registerMcp: later(async () => (await import("./init/register-mcp.js")).registerMcp),
  unregisterMcp: later(async () => (await import("./init/register-mcp.js")).unregisterMcp),
  examine: later(async () => (await import("./doctor/doctor.js")).examine),
  examineSandbox: later(async () => (await import("./doctor/doctor-checks.js")).examineSandbox),
  migrateStore: later(async () => (await import("./store/migrate-store.js")).migrateStore),
  runWorker: later(async () => (await import("./workers/run-worker.js")).runWorker),
  listWorkers: later(async () => (await import("./workers/list-workers.js")).listWorkers),
  workersOfProjects: later(async () => (await import("./workers/workers-of-projects.js")).workersOfProjects),
  cleanRepository: later(async () => (await import("./doctor/clean.js")).cleanRepository),

  // The server: which projects it serves, and who may use it.
  listProjects: later(async () => (await import("./serve/projects.js")).listProjects),
  addProject: later(async () => (await import("./serve/projects.js")).addProject),
  removeProject: later(async () => (await import("./serve/projects.js")).removeProject),
  listTokens: later(async () => (await import("./serve/tokens.js")).listTokens),
  makeToken: later(async () => (await import("./serve/tokens.js")).makeToken),
  dropToken: later(async () => (await import("./serve/tokens.js")).dropToken),
  makeLoginLink: later(async () => (await import("./serve/tokens.js")).makeLoginLink),

  // The inputs of plans.
  checkIntent: later(async () => (await import("./plan/intent-check.js")).checkIntent),
  sealFile: later(async () => (await import("./plan/intent-seal.js")).sealFile),
  checkRegistry: later(async () => (await import("./project/registry.js")).checkRegistry),
  listRegistry: later(async () => (await import("./project/registry.js")).listRegistry),
  showEntry: later(async () => (await import("./project/registry.js")).showEntry),
  draftRegistry: later(async () => (await import("./project/registry-draft.js")).draftRegistry),
  collectToFile: later(async () => (await import("./project/facts-collect.js")).collectToFile),
  buildMemory: later(async () => (await import("./memory/memory-build.js")).buildMemory),
  listAdrs: later(async () => (await import("./adr/adr-list.js")).listAdrs),
  checkAdrs: later(async () => (await import("./adr/adr-check.js")).checkAdrs),
} as const;

/** A function that is loaded when it is first called. */
function later<A extends readonly unknown[], R>(
  load: () => Promise<(...args: A) => R | Promise<R>>,
): (...args: A) => Promise<R> {
  return async (...args) => (await load())(...args);
}
