// The peak memory of one plan, from text to frozen, in a process that does nothing else. Prints one JSON document.
//   node bench/plan-memory.mjs [nodes]
import { parseJson } from "../dist/foundation/documents/json-text.js";
import { plan } from "../dist/mind/plan/plan.js";
import { facts, intentText, memory, policy, registry, services } from "./workload.mjs";

const nodes = Number(process.argv[2] ?? 100_000);
// A plan adds nine nodes to its tasks.
const { value: intent } = parseJson(intentText(nodes - 9));
const inputs = { intent, lock: null, policy, registry: registry(), facts, memory, answers: [] };
const { state } = plan({ ...inputs, instants: ["2026-01-01T00:00:00Z"] }, services);
if (state !== "DONE") throw new Error(`the plan ended as ${state}`);
console.log(JSON.stringify({ nodes, peak_mb: process.resourceUsage().maxRSS / 1024 }));
