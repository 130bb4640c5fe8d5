import type { RunFeedback, WaitingSend } from "./host-reports.js";
import type { RespondedRun } from "./inspect/respond-run.js";
import type { HandoffRecord, ProposedEdit } from "../hands/board/board-state.js";
import type { MergeOutcome } from "./merge/merge-outcome.js";
import type { DiffFile } from "./merge/diff-run.js";
import type { CoordinatorResponse } from "../model/request.js";
import type { Stats } from "../mind/report/stats.js";
import type { QueueTask } from "../model/work-queue.js";
import type { Anchored } from "./prove/keep-anchors.js";
import type { StalledRun } from "./inspect/stalled-runs.js";
import type { OpenEntry } from "./inspect/open-entries.js";
import type { CorrectionCounts } from "./learned/corrections.js";
import type { RunOverview, TaskWords } from "./inspect/overview.js";
import type { Replay } from "./inspect/replay.js";
import type { TapeFormat } from "./prove/tape.js";
import type { LogVerification } from "./prove/verify-log.js";

/* Reports of the commands about runs. */
export type RunReport =
  | RunsListed
  | RunShown
  | InboxShown
  | DecisionSent
  | RunReplayed
  | TapeExported
  | RunAnchored
  | LogVerified
  | RunMerged
  | DiffShown
  | TasksListed
  | EditsSettled
  | HandoffLeft
  | PermissionAsked
  | Watched
  | Responded
  | StatsShown
  | Interrupted;

/** A run with the process that carries it out. One whose log cannot be folded is listed with the reason instead. */
export type RunLine =
  | { readonly run_id: string; readonly overview: RunOverview; readonly worker: number | null }
  | { readonly run_id: string; readonly problem: string };

export interface RunsListed {
  readonly type: "runs";
  readonly runs: readonly RunLine[];
  readonly now: string;
}

export interface RunShown {
  readonly type: "run_status";
  readonly overview: RunOverview;
  /** The process that carries it out; null when none does. */
  readonly worker: number | null;
  /** The handoff of the last session, when it was not shown yet. */
  readonly handoff: string | null;
  readonly now: string;
  readonly next: readonly string[];
  /** The response to the person who asked; null before anything was decided. */
  readonly response: CoordinatorResponse | null;
  /** The state of the project, and its progress, in the specification's form; null before a request was received. */
  readonly project: RespondedRun["project"];
  readonly progress: RespondedRun["progress"];
}

export interface InboxShown {
  readonly type: "inbox";
  readonly entries: readonly OpenEntry[];
  /** Runs without a process although no person has to decide anything first. */
  readonly standing: readonly StalledRun[];
  /** Remarks and red checks on pull requests, when somebody last looked at the host; `coordinator sync` looks. */
  readonly on_host?: readonly RunFeedback[];
  /** Pull requests that could not be sent yet; `coordinator sync` sends them when the host answers. */
  readonly to_send?: readonly WaitingSend[];
  /** Runs that could not be looked at, and why. */
  readonly problems: readonly string[];
  readonly now: string;
  /** Commands to type when everything is answered, where they are clear. */
  readonly next?: readonly string[];
}

/** The outcome of a person's decision. */
export interface DecisionSent {
  readonly type: "decision";
  readonly run_id: string;
  /** The subject: an entry of the inbox, or the run itself. */
  readonly id: string;
  readonly decided: string;
  readonly by: string;
  readonly status: "taken" | "refused" | "left";
  /** The event it became; null when it is none yet. */
  readonly sequence: number | null;
  readonly reason: string | null;
  /** The process it was left for, and the machine of that where it is another one. */
  readonly left_for: number | null;
  readonly left_on: string | null;
  /** It stands in the log, and no process carries out the run: what follows from it is done when somebody resumes the run. */
  readonly kept: boolean;
  readonly next: readonly string[];
}

export interface RunReplayed extends Replay {
  readonly type: "replay";
  readonly overview: RunOverview;
  readonly wantsEvents: boolean;
}

interface TapeExported {
  readonly type: "export";
  readonly run_id: string;
  readonly format: TapeFormat;
  /** Null: it went to stdout, and nothing else may. */
  readonly writtenTo: string | null;
}

export interface RunAnchored {
  readonly type: "anchored";
  readonly run_id: string;
  readonly places: readonly Anchored[];
  readonly next: string;
}

export interface LogVerified {
  readonly type: "run_verification";
  /** The file of a tape; null for a run of this project. */
  readonly file: string | null;
  readonly verification: LogVerification;
}

/** Anyone who watched has seen everything already. */
interface Watched {
  readonly type: "watched";
  readonly overview: RunOverview;
}

export interface Responded {
  readonly type: "response";
  /** Null for a request that could not be put on record. */
  readonly run_id: string | null;
  readonly response: CoordinatorResponse;
  /** The next commands that were shown to a person who watched the run; null when none did. */
  readonly told: readonly string[] | null;
  /** The last words of the agents of its tasks, and the actions they were refused. */
  readonly words: readonly TaskWords[];
  /** How much of the cost was estimated and not reported. */
  readonly estimated_usd?: number;
}

export interface StatsShown {
  readonly type: "stats";
  readonly since: string | null;
  readonly stats: Stats;
  /** Corrections by people here, by kind. */
  readonly corrections: CorrectionCounts;
  /** Runs that could not be counted, and why. */
  readonly problems: readonly string[];
}

/** A person stopped the process; the run itself goes on when somebody resumes it. */
interface Interrupted {
  readonly type: "interrupted";
  readonly run_id: string;
}

export interface TasksListed {
  readonly type: "tasks";
  readonly only: "all" | "proposed";
  readonly tasks: readonly QueueTask[];
  readonly last_updated: string | null;
  /** The task that starts when the next place is free. */
  readonly next: string | null;
  /** Changes that a person wrote into the queue's file by hand. */
  readonly proposed: readonly ProposedEdit[];
  readonly notices: readonly string[];
}

export interface EditsSettled {
  readonly type: "edits";
  readonly what: "adopt" | "discard";
  readonly done: readonly { readonly edit: ProposedEdit; readonly outcome: string }[];
}

export interface HandoffLeft {
  readonly type: "handoff";
  readonly record: HandoffRecord;
  /** The document, when it was asked for and is still there. */
  readonly text: string | null;
}

/** The outcome for a permission that an agent's program asked for by its hook. */
export interface PermissionAsked {
  readonly type: "permission";
  /** `left`: nothing was decided here; the program asks its person itself. */
  readonly state: "allowed" | "denied" | "waiting" | "left";
  readonly run_id: string | null;
  readonly entry_id: string | null;
  /** The person's words with a refusal. */
  readonly words: string;
}

export interface RunMerged {
  readonly type: "merge";
  readonly run_id: string;
  readonly by: string;
  readonly outcome: MergeOutcome;
}

export interface DiffShown {
  readonly type: "diff";
  readonly run_id: string;
  /** Null for the whole run. */
  readonly task_id: string | null;
  readonly from: string;
  readonly to: string;
  readonly files: readonly DiffFile[];
  /** Null when it was written to stdout as it is, for a program or a file. */
  readonly text: string | null;
}
