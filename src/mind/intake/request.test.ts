import { describe, expect, it } from "vitest";
import { CoordinatorResponse, UserRequest } from "../../model/request.js";

const request = {
  request_id: "550e8400-e29b-41d4-a716-446655440000",
  timestamp: "2025-10-28T10:30:00Z",
  user_request: "Create a Next.js application with Supabase authentication and a product catalog",
  context: {
    project_path: "/home/user/projects/my-ecommerce",
    project_type: "frontend",
    preferences: { model: "claude", max_budget_tokens: 50_000, max_time_seconds: 300 },
  },
  attachments: [],
};

const response = {
  response_id: "660f9511-f30c-42e5-b827-557766551111",
  request_id: "550e8400-e29b-41d4-a716-446655440000",
  timestamp: "2025-10-28T10:35:00Z",
  status: "completed",
  decision: "approved",
  message: "Successfully created the application.",
  deliverables: [
    {
      type: "code",
      path: "/home/user/projects/my-ecommerce",
      description: "Next.js 14 application",
      metadata: { lines_of_code: 1250, files_created: 23, test_coverage: 0 },
    },
  ],
  project_state: { phase: "closure", progress_percentage: 100, tasks_completed: 8, tasks_remaining: 0 },
  resource_usage: { tokens_used: 42_350, api_calls: 12, time_elapsed_seconds: 178, cost_usd: 0.85 },
  next_steps: ["Run 'npm install'"],
  blockers: [{ severity: "low", description: "none", resolution_required: false }],
};

const accepts = (schema: typeof UserRequest | typeof CoordinatorResponse, value: unknown) =>
  schema.safeParse(value).success;

describe("the user request", () => {
  it("is the specification's example, and needs only id, time and text [S1-016] [S1-119]", () => {
    expect(accepts(UserRequest, request)).toBe(true);
    const { request_id, timestamp, user_request } = request;
    expect(accepts(UserRequest, { request_id, timestamp, user_request })).toBe(true);
    expect(accepts(UserRequest, { request_id: "1", timestamp, user_request })).toBe(false);
    expect(accepts(UserRequest, { request_id, timestamp: "yesterday", user_request })).toBe(false);
    expect(accepts(UserRequest, { request_id, timestamp })).toBe(false);
    expect(accepts(UserRequest, { ...request, extra: 1 })).toBe(false);
  });

  it("has an optional path and type, and a type outside the list still parses, to be refused by name [S1-017] [S1-018]", () => {
    expect(accepts(UserRequest, { ...request, context: {} })).toBe(true);
    for (const project_type of ["frontend", "ml", "analytics", "fullstack", "quantum"])
      expect(accepts(UserRequest, { ...request, context: { project_type } })).toBe(true);
    expect(accepts(UserRequest, { ...request, context: { project_path: 7 } })).toBe(false);
  });

  it("names the model it wants and bounds tokens and time by whole numbers [S1-019] [S1-021]", () => {
    const withPreferences = (preferences: object) => accepts(UserRequest, { ...request, context: { preferences } });
    expect(withPreferences({ model: "ollama" })).toBe(true);
    expect(withPreferences({ model: "claude-sonnet-4-5" })).toBe(true);
    expect(withPreferences({ model: "" })).toBe(false);
    expect(withPreferences({ model: 7 })).toBe(false);
    expect(withPreferences({ max_budget_tokens: 1.5 })).toBe(false);
    expect(withPreferences({ max_time_seconds: "300" })).toBe(false);
  });

  it("takes attachments of kind file, url and image [S1-022] [S1-023]", () => {
    const withAttachment = (attachment: object) => accepts(UserRequest, { ...request, attachments: [attachment] });
    for (const type of ["file", "url", "image"])
      expect(withAttachment({ type, content: "aGVsbG8=", description: "a thing" })).toBe(true);
    expect(withAttachment({ type: "video", content: "", description: "" })).toBe(false);
    expect(withAttachment({ type: "file", description: "" })).toBe(false);
  });
});

describe("the coordinator response", () => {
  const changed = (change: object) => accepts(CoordinatorResponse, { ...response, ...change });

  it("is the specification's example [S1-024] [S1-033] [S1-120]", () => {
    expect(changed({})).toBe(true);
    expect(changed({ response_id: "x" })).toBe(false);
    expect(changed({ next_steps: "none" })).toBe(false);
    expect(changed({ project_state: { ...response.project_state, progress_percentage: 101 } })).toBe(false);
    expect(changed({ resource_usage: { ...response.resource_usage, tokens_used: 1.5 } })).toBe(false);
  });

  it("knows only the specification's words [S1-025] [S1-026] [S1-028] [S1-030] [S1-034]", () => {
    for (const status of ["completed", "in_progress", "failed", "blocked"]) expect(changed({ status })).toBe(true);
    expect(changed({ status: "done" })).toBe(false);
    for (const decision of ["approved", "rejected", "needs_clarification"]) expect(changed({ decision })).toBe(true);
    expect(changed({ decision: "maybe" })).toBe(false);
    const deliverable = { path: "p", description: "d", metadata: {} };
    for (const type of ["code", "documentation", "report", "plan"])
      expect(changed({ deliverables: [{ ...deliverable, type }] })).toBe(true);
    expect(changed({ deliverables: [{ ...deliverable, type: "video" }] })).toBe(false);
    for (const phase of ["initiation", "planning", "execution", "monitoring", "closure"])
      expect(changed({ project_state: { ...response.project_state, phase } })).toBe(true);
    expect(changed({ project_state: { ...response.project_state, phase: "end" } })).toBe(false);
    for (const severity of ["critical", "high", "medium", "low"])
      expect(changed({ blockers: [{ severity, description: "d", resolution_required: true }] })).toBe(true);
    expect(changed({ blockers: [{ severity: "none", description: "d", resolution_required: true }] })).toBe(false);
  });
});
