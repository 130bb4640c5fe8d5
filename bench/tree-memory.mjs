// How much memory a process and everything below it hold, looked at again and again: shared pages are shared out evenly.
import { readdirSync, readFileSync } from "node:fs";

const EVERY_MS = 200;

/** Contract: `stop` gives the most there was, in MB without this process itself, and the most processes at once. */
export function watchMemory(root = process.pid) {
  let megabytes = 0;
  let processes = 0;
  const look = () => {
    const tree = below(root);
    processes = Math.max(processes, tree.length);
    megabytes = Math.max(megabytes, tree.reduce((sum, pid) => sum + pss(pid), 0) / 1024);
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return { megabytes: Math.round(megabytes), processes };
    },
  };
}

function below(root) {
  const children = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [];
  for (let waiting = children.get(root) ?? []; waiting.length > 0;) {
    found.push(...waiting);
    waiting = waiting.flatMap((pid) => children.get(pid) ?? []);
  }
  return found;
}

const pss = (pid) => Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);

function read(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
