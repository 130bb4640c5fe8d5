// `npm run test:agents [-- NAME… --case=WORDS --many=N --trace]`: the adapter against real agents, without a model, a key or a network.
// It installs the agents into this folder when they are not there, then starts itself again in a network namespace with
// loopback only, with an environment made from nothing. What cannot be installed is skipped, by name.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { watchMemory } from "../../bench/tree-memory.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const inside = process.env.COORDINATOR_AGENTS_INSIDE === "1";
const names = process.argv.slice(2).filter((arg) => !arg.startsWith("-"));
const traced = process.argv.includes("--trace");
const only = process.argv.find((arg) => arg.startsWith("--case="))?.slice("--case=".length);
const many = Number(process.argv.find((arg) => arg.startsWith("--many="))?.slice("--many=".length) ?? 0);

process.exitCode = inside ? await testAgents() : outside();

function outside() {
  if (process.platform !== "linux") {
    console.log("skipped: the agents are only tested in a network namespace, which needs Linux");
    return 0;
  }
  if (!existsSync(join(folder, "node_modules"))) {
    console.log("── install the agents (about 1.5 GB, without their install scripts)");
    const npm = (...args) =>
      spawnSync("npm", [...args, "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
    // A registry without the packages for other systems fails `ci` as a whole: the lockfile's versions are still taken.
    if (npm("ci").status !== 0 && npm("install", "--no-save").status !== 0)
      console.log("── not all could be installed: those are skipped");
  }
  if (spawnSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" }).status !== 0) return 1;
  const unshare = process.getuid() === 0 ? ["-n"] : ["-Urn"];
  const again = `ip link set lo up && exec "$@"`;
  const self = [process.execPath, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const { PATH = "", TMPDIR } = process.env;
  const env = { PATH: `${PATH}:/usr/sbin:/sbin`, ...(TMPDIR ? { TMPDIR } : {}), COORDINATOR_AGENTS_INSIDE: "1" };
  return spawnSync("unshare", [...unshare, "sh", "-c", again, "sh", ...self], { env, stdio: "inherit" }).status ?? 1;
}

async function testAgents() {
  const { AgentSettings } = await import("../../dist/model/settings/agent-config.js");
  const { createAgent } = await import("../../dist/hands/agents/create-agent.js");
  const { PRESETS } = await import("../../dist/hands/agents/presets/presets.js");
  const { installedAgents } = await import("./agents.mjs");
  const { CASES } = await import("./cases.mjs");
  const { startModelServer } = await import("./model-server.mjs");

  const seen = { calls: 0, models: [], limited: [], unknown: new Set(), onHang: () => {}, play: () => null };
  seen.isLimited = () => false;
  const { url, server } = await startModelServer({
    play: (text) => seen.play(text),
    isLimited: (name) => seen.isLimited(name),
    log: (entry) => {
      if (traced) console.log(`     model ${JSON.stringify({ ...entry, tools: entry.tools?.length })}`);
      if (entry.api !== undefined) seen.calls++;
      // Calls without tools, which make titles and the like, are to go to the planned model as well.
      if (entry.model !== undefined) seen.models.push(entry.model);
      if (entry.limited !== undefined) seen.limited.push(entry.limited);
      if (entry.unknown !== undefined) seen.unknown.add(entry.unknown);
      if (entry.error !== undefined) console.log(`   the model server failed: ${entry.error}`);
      if (entry.step?.hang !== undefined) seen.onHang();
    },
  });
  const model = {
    url,
    calls: () => seen.calls,
    /** The models that were asked to work since the last time this was looked at. */
    asked: () => [...new Set(seen.models.splice(0))],
    onHang: (act) => (seen.onHang = act),
    play: (act) => (seen.play = act),
    /** Which models answer that they are limited, and those that did since the last time this was looked at. */
    limit: (act) => (seen.isLimited = act),
    limited: () => [...new Set(seen.limited.splice(0))],
  };
  // For a name it knows, opencode offers the tools of that model; this one is nobody's.
  const models = { opencode: { model: "scripted-model" } };
  const counts = { passed: 0, failed: 0, skipped: 0 };

  const installed = installedAgents(PRESETS, []).filter(({ missing }) => missing === undefined);
  const settingsOf = (name) => {
    const { upstream } = PRESETS[name];
    const auth = {
      type: "proxy",
      upstream: upstream.url,
      routes: [...upstream.routes],
      key_env: "NONE",
      header: "x-key",
    };
    const prices = { usd_per_million_in: 3, usd_per_million_out: 15, as_of: "2026-11-01" };
    return { preset: name, auth, prices, ...models[name] };
  };

  for (const { name, command, missing } of installedAgents(PRESETS, names)) {
    console.log(`\n── ${name}`);
    if (missing !== undefined) {
      counts.skipped += CASES.length;
      console.log(`   skipped: ${missing} is not installed`);
      continue;
    }
    const preset = PRESETS[name];
    const settings = settingsOf(name);
    const agent = createAgent(name, AgentSettings.parse({ ...settings, command }), { modelUrl: url });
    const mine = CASES.filter(({ for: wanted }) => wanted === undefined || wanted.includes(name));
    const chosen = mine.filter(({ name: title }) => only === undefined || title.includes(only));
    const cases = many > 0 ? [manyAtOnce(CASES[0], many)] : chosen;
    for (const { name: title, run } of cases) {
      const from = performance.now();
      try {
        const others = installed
          .filter((one) => one.name !== name)
          .map((one) => ({ ...one, settings: settingsOf(one.name) }));
        const note = await run({ agent, name, model, preset, command, settings, others });
        counts.passed++;
        console.log(`   ✓ ${title}${note ? ` (${note})` : ""} ${Math.round(performance.now() - from)} ms`);
      } catch (error) {
        counts.failed++;
        const lines = String(error.message ?? error).split("\n");
        // Why a run failed stands at its end, what was compared at its beginning.
        const shown = lines.length <= 20 ? lines : [...lines.slice(0, 8), "…", ...lines.slice(-12)];
        console.log(`   ✗ ${title}\n     ${shown.join("\n     ")}`);
      }
      seen.onHang = () => {};
      seen.play = () => null;
      seen.isLimited = () => false;
    }
  }
  if (seen.unknown.size > 0) console.log(`\nroutes the model server does not have: ${[...seen.unknown].join(", ")}`);
  server.closeAllConnections();
  server.close();
  console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed === 0 ? 0 : 1;
}

/** The same attempt many times at once, each in a process of its own. */
function manyAtOnce({ name, run }, many) {
  return {
    name: `${many} at once: ${name}`,
    run: async (under) => {
      const memory = watchMemory();
      const results = await Promise.allSettled(Array.from({ length: many }, () => run(under)));
      const { megabytes, processes } = memory.stop();
      const failed = results.filter(({ status }) => status === "rejected");
      if (failed.length > 0) throw new Error(`${failed.length} of ${many} failed: ${failed[0].reason.message}`);
      return `${megabytes} MB, ${processes} processes`;
    },
  };
}
