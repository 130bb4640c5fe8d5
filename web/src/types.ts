import type { adrJson } from "../../src/app/adr/adr-json.ts";
import type { ConflictShown } from "../../src/app/detail/show-conflict.ts";
import type { ProjectFigures } from "../../src/app/detail/show-figures.ts";
import type { RunGraph } from "../../src/app/detail/show-graph.ts";
import type { PlansCompared, RunPlan } from "../../src/app/detail/show-plan.ts";
import type { AttemptOutput } from "../../src/app/detail/show-output.ts";
import type { TaskDetail } from "../../src/app/detail/show-task.ts";
import type { RunTimeline } from "../../src/app/detail/show-timeline.ts";
import type { RunFeedback, WaitingSend } from "../../src/app/host-reports.ts";
import type { OpenEntry } from "../../src/app/inspect/open-entries.ts";
import type { RunOverview } from "../../src/app/inspect/overview.ts";
import type { StalledRun } from "../../src/app/inspect/stalled-runs.ts";
import type { runLine } from "../../src/app/json/runs.ts";
import type { AdrsListed } from "../../src/app/adr-reports.ts";
import type { IntakeMade, Routed } from "../../src/app/plan-reports.ts";
import type { DiffShown, InboxShown, LogVerified, RunMerged, RunShown, StatsShown } from "../../src/app/run-reports.ts";
import type { Principal } from "../../src/app/serve/sessions.ts";
import type { RunWorker } from "../../src/app/serve/run-worker.ts";
import type { showActivity } from "../../src/app/detail/show-activity.ts";
import type { StoreWorkers } from "../../src/app/workers/workers-of-projects.ts";
import type { WorkTrouble } from "../../src/app/serve/work-trouble.ts";
import type { BatchJson } from "../../src/model/api/runs.ts";
import type { SeriesJson } from "../../src/model/api/figures.ts";
import type { HandoffShown } from "../../src/app/detail/show-handoff.ts";
import type { z } from "zod";
import type { ExecutionGraph } from "../../src/model/plan/graph.ts";
import type { ReviewPack } from "../../src/model/plan/review.ts";
import type { VerdictReport } from "../../src/model/settings/check.ts";

/* The answers of the API. Every type is that of the use case behind it, so that a change there is an error here. */

export type {
  AttemptOutput,
  ConflictShown,
  ExecutionGraph,
  PlansCompared,
  ReviewPack,
  RunGraph,
  RunPlan,
  TaskDetail,
  VerdictReport,
};

export type Session = Pick<Principal, "role" | "name">;

/** Why something cannot be opened or worked on. */
type TroubleTold = WorkTrouble;

export interface ProjectLine {
  readonly id: string;
  readonly name: string;
  readonly root: string;
  readonly problem: TroubleTold | null;
}

interface OfProject {
  readonly project: string;
}

export type Entry = OpenEntry & OfProject;

export interface Inbox extends Pick<InboxShown, "problems"> {
  readonly open: number;
  readonly entries: readonly Entry[];
  readonly standing: readonly (StalledRun & OfProject)[];
  readonly on_host: readonly (RunFeedback & OfProject)[];
  readonly to_send: readonly (WaitingSend & OfProject)[];
}

export type RunLine = ReturnType<typeof runLine>;
export type Spend = RunOverview["spend"];
export type Activity = Awaited<ReturnType<typeof showActivity>>[number];

export interface RunStatus extends RunOverview, OfProject, Pick<RunShown, "handoff" | "next" | "response" | "worker"> {
  readonly activity: readonly Activity[];
  /** This server works on it. */
  readonly served: boolean;
  readonly trouble: TroubleTold | null;
}

export type Proof = NonNullable<NonNullable<RunShown["response"]>["proof"]>[number];

export type GraphTask = RunGraph["tasks"][number];
export type WorkSpan = RunGraph["work"][number];
export type WaitSpan = RunGraph["waits"][number];
export type PlanTask = RunPlan["tasks"][number];
export type AttemptDetail = TaskDetail["attempts"][number];
export type ToolUse = AttemptDetail["tool_uses"][number];
export type Timeline = RunTimeline;
export type Verification = LogVerified["verification"];
export type Merged = RunMerged["outcome"];

export interface Diff extends Pick<DiffShown, "files"> {
  readonly patch: string;
  readonly truncated: boolean;
}

export interface Preview {
  readonly intake: IntakeMade["decision"];
  readonly route: Routed["decision"];
}

export type SubmittedRequest = NonNullable<ReturnType<RunWorker["submitted"]>>;

export interface AdrList extends Pick<AdrsListed, "folders"> {
  readonly records: readonly ReturnType<typeof adrJson>[];
}

export interface Workers {
  readonly stores: readonly StoreWorkers[];
}

export type { StoreWorkers };
export type Figures = ProjectFigures;
export type Stats = StatsShown["stats"] & Pick<StatsShown, "problems">;
export type Series = z.infer<typeof SeriesJson>;
export type BatchDecided = z.infer<typeof BatchJson>;
export type Handoff = HandoffShown;
