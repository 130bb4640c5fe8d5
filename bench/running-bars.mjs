// Limits for running, held against the measured figures. Ratios are of one run of the bench.

export function runningBars({ sideBySide, growth }, { log, gate_50_ms, gate_10000_ms, first_response }) {
  const rowsOf = (workload) => sideBySide.find((each) => each.workload === workload).rows;
  const rowOf = (workload, engine) => rowsOf(workload).find((row) => row.engine.startsWith(engine));
  const ours = (workload) => rowOf(workload, "ours");
  const wide = ["layered-300", "runs-100", "runs-1000"];
  const name = { "layered-300": "a plan of 300", "runs-100": "100 runs of 20", "runs-1000": "1,000 runs of 10" };

  const absolute = wide.map((workload) => {
    const { cpu_us } = ours(workload);
    return [`a durable task, ${name[workload]}, CPU time`, `${cpu_us.toFixed(1)} µs`, "≤ 40 µs", cpu_us <= 40];
  });
  const overFloor = [
    ["wall_us", ""],
    ["cpu_us", ", CPU time"],
  ].flatMap(([figure, which]) =>
    wide.map((workload) => {
      const ratio = ours(workload)[figure] / rowOf(workload, "floor: 5")[figure];
      return [
        `${name[workload]}: ours ÷ floor of the same events${which}`,
        `${ratio.toFixed(1)} ×`,
        "≤ 2 ×",
        ratio <= 2,
      ];
    }),
  );
  const underPeers = [
    ...wide.map((workload) => [workload, "LangGraph 1.4 + SQLite"]),
    ["layered-300", "LangGraph 1.4 + SQLite, 4 steps"],
    ["runs-100", "LangGraph 1.4 + SQLite, 4 steps"],
    ["layered-300", "DBOS"],
    ["runs-100", "DBOS"],
  ].map(([workload, engine]) => {
    const peer = rowOf(workload, engine);
    if (peer.rounds === 0) return [`${name[workload]}: ${peer.engine} ÷ ours`, peer.reason, "≥ 12 ×", false];
    const ratio = peer.wall_us / ours(workload).wall_us;
    return [`${name[workload]}: ${peer.engine} ÷ ours`, `${ratio.toFixed(1)} ×`, "≥ 12 ×", ratio >= 12];
  });
  const grown = growth.map(({ title, sizes, rows }) => {
    const own = rows.filter((row) => row.engine === "ours");
    const figure = title.includes("chain") ? "bytes_per_task" : "cpu_us";
    const ratio = own.at(-1)[figure] / own[0][figure];
    const what = figure === "cpu_us" ? "CPU" : "storage";
    return [
      `${what} a task, ${title}: ${sizes.at(-1).toLocaleString("en")} ÷ ${sizes[0]}`,
      `${ratio.toFixed(2)} ×`,
      "≤ 1.5 ×",
      ratio <= 1.5,
    ];
  });
  const small = ours("runs-1000");
  const disk_mb = (small.bytes_per_task * 10_000) / 1e6;
  return [
    ...absolute,
    ...overFloor,
    ...underPeers,
    ...grown,
    ["1,000 small runs: peak memory", `${small.rss_mb.toFixed(0)} MB`, "≤ 100 MB", small.rss_mb <= 100],
    ["1,000 small runs: disk", `${disk_mb.toFixed(0)} MB`, "≤ 100 MB", disk_mb <= 100],
    [
      "100 runs at once: peak memory",
      `${ours("runs-100").rss_mb.toFixed(0)} MB`,
      "≤ 500 MB",
      ours("runs-100").rss_mb <= 500,
    ],
    bar("gate decision of a phase with 50 deliverables", gate_50_ms, 5),
    bar("gate decision of a phase with 10,000 deliverables", gate_10000_ms, 5),
    bar("first response to a request of 1 KB, in the process", first_response.in_process_ms, 50),
    [
      "first response to a request of 1 KB, the whole program",
      `${first_response.program_ms.toFixed(0)} ms`,
      `of it Node.js ${first_response.node_ms.toFixed(0)} ms`,
      null,
    ],
    ["a million events verified, CPU time", `${log.verify_cpu_us.toFixed(1)} s`, "≤ 3 s", log.verify_cpu_us <= 3],
    ["chain verified", `${Math.round(log.verified_per_second).toLocaleString("en")} events/s`, "–", null],
    [`store opened and ${log.events.toLocaleString("en")} events folded`, `${log.start_ms.toFixed(0)} ms`, "–", null],
    ["storage of an event", `${log.bytes_per_event.toFixed(0)} bytes`, "–", null],
  ];
}

const bar = (what, ms, most) => [what, `${ms.toFixed(3)} ms`, `< ${most} ms`, ms < most];
