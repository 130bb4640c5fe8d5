// The first events of a run of so many tasks, ten of which may begin at once.
import { RunPolicy } from "../dist/model/run.js";

export const amounts = { tokens: 1000, cost_usd: 0.01, minutes: 1, files: 1, commits: 1, api_calls: 1 };
const planned = { command_id: "c", task_type: "feature", tokens: 900, minutes: 1, cost_usd: 0.01, source: "registry" };
export const opening = (count) => [
  {
    type: "request_received",
    request_id: "request",
    request: "Do it",
    seed: 1,
    policy: RunPolicy.parse({ plan_needs_approval: false, max_concurrent_tasks: 1000 }),
  },
  { type: "intake_decided", decision: "approved", reason: "clear", unsafe: false },
  {
    type: "plan_frozen",
    verified: true,
    plan: {
      plan_id: "plan",
      plan_checksum: "0".repeat(64),
      gates: [],
      budget: Object.fromEntries(Object.keys(amounts).map((name) => [name, 1e12])),
      tasks: Array.from({ length: count }, (_, i) => ({
        task_id: `T${i}`,
        title: `Task ${i}`,
        agent: "builder",
        phase: "implementation",
        priority: "P2",
        dependencies: i < 10 ? [] : [`T${i - 10}`],
        estimate: amounts,
        gates: [],
        planned,
      })),
    },
  },
];
