export { type Breakdown, breakDown } from "./adr/break-down.js";
export { type ParsedAdr, parseAdr } from "./adr/parse-adr.js";
export { compose } from "./compose.js";
export { type Coordinator, createCoordinator, type Parts, type PlanReport, type PlanRequest } from "./coordinator.js";
export { carryOut, type EngineParts, type LiveRun } from "./engine/carry-out.js";
export type { Deed, EngineClock, Hands, Wanted } from "./engine/hands.js";
export { gate, type GateFacts } from "./gate/gate.js";
export { withAnswers } from "./intake/answers.js";
export { explainIntake } from "./intake/explain.js";
export { intake } from "./intake/intake.js";
export { toResponse } from "./intake/respond.js";
export { AdrStatus, AdrTask } from "./model/adr.js";
export { CoordinatorError, type ErrorCode } from "./model/errors.js";
export type { Diagnostic } from "./model/diagnostic.js";
export { LoggedEvent, RunEvent } from "./model/event.js";
export type { ExecutionGraph, GraphEdge, GraphNode, Swimlane } from "./model/graph.js";
export type { ExecutionIntent, IntentLock } from "./model/intent.js";
export type { PlanManifest } from "./model/manifest.js";
export { FactPack, MemoryPack } from "./model/packs.js";
export { ExecutionPolicy } from "./model/policy.js";
export { AnswerPack, type Question, QuestionPack } from "./model/questions.js";
export type { Registry } from "./model/registry.js";
export { CoordinatorReview, FileConflict, LevelContext } from "./model/level.js";
export { CoordinatorResponse, IntakeDecision, IntakePolicy, RepositoryFacts, UserRequest } from "./model/request.js";
export type { ReviewPack } from "./model/review.js";
export { ContextDocument, RoutingDecision, RoutingInput, RoutingPolicy } from "./model/routing.js";
export type { AuditEntry, PlanState, RunTape } from "./model/tape.js";
export type { Explanation } from "./plan/explain.js";
export type { PlanOutcome } from "./plan/plan.js";
export type { PlanVerification } from "./plan/verify-plan.js";
export { processRequest, type ProcessOptions } from "./process-request.js";
export { judgeProposal } from "./planner/judge-proposal.js";
export type { Planned, Planner, PlannerInput } from "./planner/planner.js";
export { proposingPlanner, type ProposingPlannerParts, withFallback } from "./planner/proposing-planner.js";
export { inquire, type Inquired, type InquiryOptions } from "./propose/inquire.js";
export type { Inquiry, Proposed, Proposer } from "./propose/proposer.js";
export { detectConflicts } from "./review/detect-conflicts.js";
export { buildContextPrompt, extractLevelContext } from "./review/level-context.js";
export { builtInRegistryDirectory, loadRegistry, type LoadedRegistry } from "./registry/load-registry.js";
export { compilePolicy as compileRoutingPolicy } from "./route/compile-policy.js";
export { explainRoute } from "./route/explain-route.js";
export { route, routeWithPolicy } from "./route/route.js";
export { type Effect, effectsOf } from "./run/effects.js";
export { parseRunEvent, parseSignal, type ParsedEvent } from "./run/parse-event.js";
export { projectState, ProjectState } from "./run/project-state.js";
export type { RunState } from "./run/state.js";
export { fold, refusal, step } from "./run/transition.js";
export { findRun } from "./runs/find.js";
export { type FoldedRun, foldRun } from "./runs/fold-run.js";
export { type OpenEntry, openEntries } from "./runs/open-entries.js";
export { openRuns, readRuns } from "./runs/open-runs.js";
export { overviewOf, type RunOverview } from "./runs/overview.js";
export { type PlannedRun, planRefOf } from "./runs/plan-ref.js";
export { type Sent, sendSignal } from "./runs/send-signal.js";
export { type ServedSignals, type ServeOptions, serveSignals } from "./runs/serve-signals.js";
export { newSignalId, type Signal } from "./runs/signal-box.js";
export { type FrozenPlan, type Started, startRun, type StartOptions } from "./runs/start-run.js";
export { findRoot, type StateFolder, stateFolder } from "./runs/state-folder.js";
export { tellEvent } from "./runs/tell-event.js";
export { type LogVerification, verifyLog } from "./runs/verify-log.js";
export type { SpecFinding, SpecGrounds } from "./specify/finding.js";
export { judgeSpec } from "./specify/judge-spec.js";
export {
  createSpecify,
  type GivenAnswer,
  type Specified,
  type Specify,
  type SpecifyInput,
  type SpecifyParts,
  type SpecPackage,
  type SpecQuestion,
} from "./specify/specify.js";
export { fileAnchor } from "./store/chain/anchor-file.js";
export { gitAnchor } from "./store/chain/anchor-git.js";
export { type EventProof, proveEvent, refuteProof } from "./store/chain/prove-event.js";
export { redact } from "./store/chain/redact.js";
export { loadSigningKey } from "./store/chain/signing-key.js";
export { verifyRun } from "./store/chain/verify-run.js";
export type { EventReader, EventStore } from "./store/event-store.js";
export { createMemoryStore } from "./store/memory-store.js";
export { openSqliteReader, openSqliteStore } from "./store/sqlite/open-sqlite-store.js";
