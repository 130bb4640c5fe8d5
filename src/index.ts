export { type Breakdown, breakDown } from "./mind/adr/break-down.js";
export { type ParsedAdr, parseAdr } from "./mind/adr/parse-adr.js";
export { compose } from "./app/compose.js";
export {
  type Coordinator,
  createCoordinator,
  type Parts,
  type PlanReport,
  type PlanRequest,
} from "./app/plan/planning.js";
export { carryOut, type EngineParts, type LiveRun } from "./hands/engine/carry-out.js";
export type { EffectRunner, EngineClock, RunnableEffect } from "./hands/engine/effect-runner.js";
export { gate, type GateFacts } from "./mind/gate/gate.js";
export { withAnswers } from "./mind/intake/answers.js";
export { explainIntake } from "./mind/intake/explain.js";
export { intake } from "./mind/intake/intake.js";
export { toResponse } from "./mind/intake/respond.js";
export { AdrStatus, AdrTask } from "./model/adr.js";
export { CoordinatorError, type ErrorCode } from "./model/errors.js";
export type { Diagnostic } from "./model/diagnostic.js";
export { LoggedEvent, RunEvent } from "./model/event.js";
export type { ExecutionGraph, GraphEdge, GraphNode, Swimlane } from "./model/plan/graph.js";
export type { ExecutionIntent, IntentLock } from "./model/plan/intent.js";
export type { PlanManifest } from "./model/plan/manifest.js";
export { FactPack, MemoryPack } from "./model/settings/packs.js";
export { ExecutionPolicy } from "./model/plan/policy.js";
export { AnswerPack, type Question, QuestionPack } from "./model/plan/questions.js";
export type { Registry } from "./model/plan/registry.js";
export { CoordinatorReview, FileConflict, LevelContext } from "./model/plan/level.js";
export { IntakePolicy } from "./model/intake-policy.js";
export { CoordinatorResponse, IntakeDecision, RepositoryFacts, UserRequest } from "./model/request.js";
export type { ReviewPack } from "./model/plan/review.js";
export { ContextDocument, RoutingDecision, RoutingInput, RoutingPolicy } from "./model/routing.js";
export type { AuditEntry, PlanState, RunTape } from "./model/tape.js";
export type { Explanation } from "./mind/plan/explain.js";
export type { PlanOutcome } from "./mind/plan/plan.js";
export type { PlanVerification } from "./mind/plan/verify-plan.js";
export { processRequest, type ProcessOptions } from "./app/process-request.js";
export { judgeProposal } from "./mind/propose/judge-proposal.js";
export type { Planned, Planner, PlannerInput } from "./mind/propose/planner.js";
export { proposingPlanner, type ProposingPlannerParts, withFallback } from "./mind/propose/proposing-planner.js";
export { inquire, type Inquired, type InquiryOptions } from "./mind/propose/inquire.js";
export type { Inquiry, Proposed, Proposer } from "./mind/propose/proposer.js";
export { detectConflicts } from "./hands/integration/detect-conflicts.js";
export { buildContextPrompt, extractLevelContext } from "./hands/integration/level-context.js";
export { builtInRegistryDirectory, loadRegistry, type LoadedRegistry } from "./hands/registry/load-registry.js";
export { readLearnedModel } from "./foundation/documents/shipped-model.js";
export { compilePolicy as compileRoutingPolicy } from "./mind/route/compile-policy.js";
export { explainRoute } from "./mind/route/explain-route.js";
export { route, routeWithPolicy } from "./mind/route/route.js";
export { type Effect, effectsOf } from "./mind/run/effects.js";
export { parseRunEvent, parseSignal, type ParsedEvent } from "./mind/run/parse-event.js";
export { projectState, ProjectState } from "./mind/report/project-state/project-state.js";
export type { RunState } from "./mind/run/state.js";
export { fold, refusal, step } from "./mind/run/transition.js";
export { findRun } from "./app/inspect/find.js";
export { type FoldedRun, foldRun } from "./app/inspect/fold-run.js";
export { type OpenEntry, openEntries } from "./app/inspect/open-entries.js";
export { openRuns, readRuns } from "./app/project/open-runs.js";
export { overviewOf, type RunOverview } from "./app/inspect/overview.js";
export { type PlannedRun, planRefOf } from "./mind/run/plan-ref.js";
export { type Sent, sendSignal } from "./app/decide/send-signal.js";
export { type ServedSignals, type ServeOptions, serveSignals } from "./app/decide/serve-signals.js";
export { newSignalId, type Signal } from "./app/decide/signal-box.js";
export { type FrozenPlan, type Started, startRun, type StartOptions } from "./app/run/start-run.js";
export { findRoot, type StateFolder, stateFolder } from "./app/project/state-folder.js";
export { describeEvent } from "./app/inspect/describe-event.js";
export { type LogVerification, verifyLog } from "./app/prove/verify-log.js";
export type { SpecFinding, SpecGrounds } from "./mind/specify/finding.js";
export { judgeSpec } from "./mind/specify/judge-spec.js";
export {
  createSpecify,
  type GivenAnswer,
  type Specified,
  type Specify,
  type SpecifyInput,
  type SpecifyParts,
  type SpecPackage,
  type SpecQuestion,
} from "./mind/specify/specify.js";
export { fileAnchor } from "./hands/store/chain/anchor-file.js";
export { gitAnchor } from "./hands/store/chain/anchor-git.js";
export { type EventProof, proveEvent, refuteProof } from "./hands/store/chain/prove-event.js";
export { redact } from "./hands/store/chain/redact.js";
export { loadSigningKey } from "./hands/store/chain/signing-key.js";
export { verifyRun } from "./hands/store/chain/verify-run.js";
export type { EventReader, EventStore } from "./hands/store/event-store.js";
export { createMemoryStore } from "./hands/store/memory-store.js";
export { openSqliteReader, openSqliteStore } from "./hands/store/sqlite/open-sqlite-store.js";
