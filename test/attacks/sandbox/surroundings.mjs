// What a program can see, change and reach around it. Prints one JSON line per probe. It runs inside of a sandbox and, as
// its own control, outside of one; what would do harm outside is left out there.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import { join } from "node:path";

const given = JSON.parse(fs.readFileSync("given.json", "utf8"));
const isControl = process.argv[2] === "control";
const say = (probe, result, why) => console.log(JSON.stringify({ probe, result, why: String(why).slice(0, 200) }));

async function probe(name, action, { safeOutside = true } = {}) {
  if (isControl && !safeOutside) return;
  try {
    const why = await action();
    say(name, why === false ? "denied" : "reached", why);
  } catch (error) {
    say(name, "denied", error.code ?? error.message);
  }
}
const read = (path) => () => fs.readFileSync(path, "utf8").slice(0, 20);
const write = (path) => () => (fs.writeFileSync(path, "x"), path);
const everyProcess = (file) =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/${file}`, "latin1");
      } catch {
        return "";
      }
    })
    .join("\n");

await probe("canary in an environment", () => everyProcess("environ").includes(given.canary));
await probe("canary on a command line", () => everyProcess("cmdline").includes(given.canary));
await probe("own environment", () => JSON.stringify(process.env).includes(given.canary));
await probe("shadow", read("/etc/shadow"));
await probe("users of the machine", () => fs.readFileSync("/etc/passwd", "utf8").includes("daemon"));
await probe("home of the Coordinator", read(given.homeFile));
await probe("store of the Coordinator", read(given.storeFile));
await probe("records of sandboxes", () => fs.readdirSync(given.records).join() || true);
await probe("file beside the workspace", read(given.outsideFile));
await probe("up from the workspace", read(join("..", "outside", "canary.txt")));
await probe("link out of the workspace", () => {
  fs.symlinkSync(given.outsideFile, "src/link");
  return read("src/link")();
});
await probe("root of the first process", () => fs.readFileSync(`/proc/1/root${given.outsideFile}`, "utf8"));
await probe("write beside the workspace", write(join(given.outside, "written.txt")));
await probe("write through a link", () => {
  fs.symlinkSync(join(given.outside, "linked.txt"), "src/outlink");
  fs.writeFileSync("src/outlink", "x");
  return fs.existsSync(join(given.outside, "linked.txt"));
});
await probe("hard link to a file outside", () => (fs.linkSync(given.outsideFile, "src/hard"), "linked"));
await probe("hard link to the system", () => (fs.linkSync("/usr/bin/env", "src/env"), "linked"), {
  safeOutside: false,
});
await probe("write where it may not in the workspace", write("docs/written.txt"));
await probe("change a file where it may not", () => (fs.appendFileSync("docs/kept.txt", "x"), "changed"));
await probe("move a directory out of the way", () => (fs.renameSync("docs", "src/docs"), "moved"), {
  safeOutside: false,
});
await probe("remove a file where it may not", () => (fs.rmSync("docs/kept.txt"), "removed"), { safeOutside: false });
await probe("replace a protected path", () => (fs.writeFileSync("src/protected.json", "x"), "written"));
await probe("make a missing protected path", () => (fs.writeFileSync("src/absent.json", "x"), "written"));
for (const path of ["/usr/x", "/etc/x", "/x", "/dev/x", "/opt/x", "/home/x", "/run/x", "/proc/x"])
  await probe(`write ${path}`, write(path), { safeOutside: false });
await probe("signal to the Coordinator", () => process.kill(given.pid, 0));
await probe("processes of the machine", () => fs.existsSync(`/proc/${given.pid}/stat`) || false);
await probe("loopback of the Coordinator", () => dial({ host: "127.0.0.1", port: given.port }));
await probe("abstract socket of the Coordinator", () => dial({ path: `\0${given.abstract}` }));
await probe("socket of the Coordinator in a file", () => dial({ path: given.socket }));
await probe("name of a host", async () => (await lookup("localhost.localdomain.example")).address);
await probe("datagram to the internet", () => datagram(), { safeOutside: false });
for (const path of [
  "/var/run/docker.sock",
  "/run/docker.sock",
  "/run/dbus/system_bus_socket",
  "/run/user",
  "/sys",
  "/mnt",
])
  await probe(`there is ${path}`, () => fs.existsSync(path), { safeOutside: false });
await probe("terminal", () => (fs.closeSync(fs.openSync("/dev/tty", "r+")), "opened"));
await probe("inherited descriptor", () => {
  const kinds = fs.readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return Number(fd) > 2 ? [fs.readlinkSync(`/proc/self/fd/${fd}`)] : [];
    } catch {
      return [];
    }
  });
  return kinds.find((target) => target.includes("inherited")) ?? false;
});
await probe("further user namespace", () => execFileSync("unshare", ["-Ur", "true"], { stdio: "ignore" }) !== null);

function dial(to) {
  return new Promise((resolve, reject) => {
    const socket = connect(to, () => (socket.destroy(), resolve("connected")));
    socket.on("error", reject);
  });
}

function datagram() {
  return new Promise((resolve, reject) => {
    const socket = createSocket("udp4");
    socket.send("x", 53, "192.0.2.1", (error) => (socket.close(), error ? reject(error) : resolve("sent")));
  });
}
