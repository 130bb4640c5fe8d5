// `npm run sim -- --seeds N --from S`: simulated runs under seeded faults. A seed that breaks something prints itself.
import { parseArgs } from "node:util";
import { simulate } from "../dist/testing/simulation/world.js";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    show: { type: "boolean", default: false },
  },
});
const from = Number(values.from);
const count = Number(values.seeds);
if (!Number.isInteger(from) || !Number.isInteger(count) || count < 1) {
  console.error("--seeds and --from take whole numbers");
  process.exit(2);
}
let broken = 0;
let events = 0;
let crashes = 0;
for (let seed = from; seed < from + count; seed++) {
  const result = simulate(seed);
  events += result.events.length;
  crashes += result.crashes;
  if (values.show) for (const { event, clock_ms } of result.events) console.log(JSON.stringify({ clock_ms, ...event }));
  if (result.violations.length === 0) continue;
  broken++;
  console.log(
    `seed ${seed}: ${result.violations.join("; ")}\n  replay: npm run sim -- --seeds 1 --from ${seed} --show`,
  );
}
console.log(`${count} runs, ${events} events, ${crashes} crashes, ${broken} broken`);
process.exitCode = broken === 0 ? 0 : 1;
