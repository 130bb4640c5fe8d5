/* What the API answers, as far as the dashboard shows it. Fields are only ever added there. */

export interface Session {
  readonly role: "reader" | "approver" | "admin";
  readonly name: string | null;
}

export interface ProjectLine {
  readonly id: string;
  readonly name: string;
  readonly root: string;
  readonly problem: string | null;
}

interface Amounts {
  readonly tokens: number;
  readonly cost_usd: number;
  readonly minutes: number;
  readonly files: number;
  readonly commits: number;
  readonly api_calls: number;
}

interface ScopeAddition {
  readonly write: readonly string[];
  readonly commands: readonly string[];
  readonly network: readonly string[];
}

interface Escalation {
  readonly type: string;
  readonly severity: string;
  readonly summary: string;
  readonly attempt: number | null;
  readonly package: { readonly input: string; readonly output: string; readonly violation: string };
}

export interface Entry {
  readonly project: string;
  readonly run_id: string;
  readonly asked: string;
  readonly id: string;
  readonly kind: "plan_approval" | "review" | "question" | "scope_request" | "task_change" | "escalation";
  readonly opened_at: string;
  readonly task_id: string | null;
  readonly about: string;
  readonly reviewers: readonly string[];
  readonly options: readonly string[];
  readonly escalation: Escalation | null;
  readonly request: ScopeAddition | null;
  readonly said: string | null;
  readonly refused: readonly { readonly what: string; readonly reason: string }[];
  readonly commands: readonly string[];
}

export interface Inbox {
  readonly open: number;
  readonly entries: readonly Entry[];
  readonly standing: readonly {
    readonly project: string;
    readonly run_id: string;
    readonly since: string | null;
    readonly done: number;
    readonly total: number;
  }[];
  readonly problems: readonly string[];
}

interface TaskCounts {
  readonly total: number;
  readonly done: number;
  readonly running: number;
  readonly blocked: number;
  readonly failed: number;
}

export interface Spend {
  readonly used: Amounts;
  readonly reserved: Amounts;
  /** Null before there is a plan. */
  readonly budget: Amounts | null;
}

export interface RunLine {
  readonly run_id: string;
  readonly status: string;
  readonly phase: string;
  readonly request: string;
  readonly started_at: string | null;
  readonly updated_at: string | null;
  readonly tasks: TaskCounts;
  readonly needs_you: number;
  readonly spend: Spend;
}

export interface Proof {
  readonly task_id: string;
  readonly proven_by: readonly string[];
  readonly accepted: readonly string[];
  readonly failed_before: readonly string[];
  readonly unreached: readonly string[];
}

export interface RunStatus {
  readonly run_id: string;
  readonly request: string;
  readonly status: string;
  readonly phase: string;
  readonly reason: string;
  readonly plan_id: string | null;
  readonly plan_checksum: string | null;
  readonly can_go_on: boolean;
  readonly started_at: string | null;
  readonly updated_at: string | null;
  readonly events: number;
  readonly tasks: TaskCounts;
  readonly needs_you: readonly { readonly id: string }[];
  readonly spend: Spend;
  readonly last_words: readonly { readonly task_id: string; readonly said: string }[];
  readonly response: { readonly message: string; readonly proof?: readonly Proof[] } | null;
  readonly served: boolean;
  readonly trouble: string | null;
}

export interface GraphTask {
  readonly task_id: string;
  readonly title: string;
  readonly description: string | null;
  readonly type: string | null;
  readonly phase: string;
  readonly level: number;
  readonly agent: string;
  readonly model: string | null;
  readonly priority: string;
  readonly dependencies: readonly string[];
  readonly status: string;
  readonly stage: string | null;
  readonly ready: boolean;
  readonly reason: string | null;
  readonly attempts: number;
  readonly since: string | null;
  readonly doing: string | null;
  readonly estimate: Amounts;
  readonly used: Amounts;
  readonly files: readonly string[];
}

export interface WorkSpan {
  readonly task_id: string;
  readonly attempt: number;
  readonly stage: string;
  readonly agent: string;
  readonly from: string;
  readonly to: string | null;
  readonly outcome: string | null;
  readonly sequence: number;
}

export interface WaitSpan {
  readonly entry_id: string;
  readonly kind: string;
  readonly task_id: string | null;
  readonly from: string;
  readonly to: string | null;
  readonly by: string | null;
}

export interface RunGraph {
  readonly run_id: string;
  readonly status: string;
  readonly tasks: readonly GraphTask[];
  readonly work: readonly WorkSpan[];
  readonly waits: readonly WaitSpan[];
  readonly critical_path: { readonly minutes: number; readonly tasks: readonly string[] };
}

export interface RunPlan {
  readonly plan_id: string;
  readonly plan_checksum: string;
  readonly approved: boolean;
  readonly request: string;
  readonly tasks: readonly PlanTask[];
  readonly gates: readonly {
    readonly gate_id: string;
    readonly category: string;
    readonly reviewers: readonly string[];
  }[];
  readonly text: string | null;
  readonly others: readonly { readonly run_id: string; readonly plan_id: string; readonly status: string }[];
}

export interface PlanTask {
  readonly task_id: string;
  readonly title: string;
  readonly description?: string;
  readonly level: number;
  readonly agent: string;
  readonly model?: string | null;
  readonly dependencies: readonly string[];
  readonly estimate: Amounts;
  readonly gates: readonly string[];
  readonly files?: readonly string[];
}

export interface PlansCompared {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly task_id: string; readonly fields: readonly { readonly name: string }[] }[];
}

export interface ToolUse {
  readonly sequence: number;
  readonly at: string;
  readonly use: {
    readonly kind: string;
    readonly title: string;
    readonly command: string | null;
    readonly stage: string;
  };
  readonly judgement: { readonly decision: string; readonly reason: string; readonly rule_id: string };
}

export interface AttemptDetail {
  readonly attempt: number;
  readonly agent: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly given: {
    readonly prompt: string;
    readonly context: readonly { readonly ref: string; readonly text: string }[];
    readonly withheld: readonly string[];
    readonly checks: readonly string[];
  } | null;
  readonly tool_uses: readonly ToolUse[];
  readonly iterations: readonly {
    readonly iteration: number;
    readonly promised: boolean;
    readonly next: string;
    readonly checks: readonly { readonly check: string; readonly failing: number; readonly failed_before: number }[];
  }[];
  readonly outcome: { readonly kind: string } | null;
  readonly said: string | null;
  readonly usage: { readonly source: string; readonly amounts: Amounts } | null;
  readonly verdict: { readonly verdict: string; readonly evidence: string } | null;
}

export interface TaskDetail {
  readonly status: string;
  readonly attempts: readonly AttemptDetail[];
  readonly timeline: readonly { readonly sequence: number; readonly at: string; readonly told: string }[];
}

export interface Timeline {
  readonly last: number;
  readonly next: number | null;
  readonly lines: readonly {
    readonly sequence: number;
    readonly at: string;
    readonly type: string;
    readonly told: string;
    readonly task_id: string | null;
    readonly decider: { readonly by: string; readonly how: string; readonly via?: string } | null;
    readonly hash: string;
  }[];
}

export interface Verification {
  readonly passed: boolean;
  readonly events: number;
  /** `passed` is null for a check that there was nothing to do for. */
  readonly checks: readonly { readonly name: string; readonly passed: boolean | null; readonly detail: string }[];
  readonly proves: readonly string[];
  readonly unproven: readonly string[];
}

export interface Preview {
  readonly intake: {
    readonly decision: string;
    readonly reason: string;
    readonly rule_id: string;
    readonly estimate: {
      readonly tokens: number;
      readonly cost_usd: number | null;
      readonly time_seconds: number;
    } | null;
    readonly questions: readonly { readonly question?: string; readonly text?: string }[];
  };
  readonly route: {
    readonly routed_to?: string;
    readonly classification?: { readonly category: string; readonly rule_id: string; readonly confidence: string };
  };
}

export interface SubmittedRequest {
  readonly request_id: string;
  readonly project: string;
  readonly state: "working" | "ended";
  readonly run_id: string | null;
  readonly progress: readonly string[];
  readonly report: { readonly message?: string; readonly fix?: string | null; readonly code?: string } | null;
}

export interface Figures {
  readonly runs: readonly { readonly run_id: string }[];
  readonly attempts: readonly {
    readonly run_id: string;
    readonly agent: string;
    readonly started_at: string;
    readonly ended_at: string;
    readonly outcome: string;
    readonly tokens: number;
    readonly cost_usd: number;
    readonly source: string;
  }[];
}

export interface Stats {
  readonly runs: number;
  readonly criteria: readonly {
    readonly id: string;
    readonly title: string;
    readonly unit: string;
    readonly target: { readonly at: string; readonly value: number };
    readonly counted: string;
    readonly value: number | null;
    readonly met: boolean | null;
    readonly cases: number;
    readonly detail: string;
  }[];
}
