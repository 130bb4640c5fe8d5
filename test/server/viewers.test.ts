import { connect, type Socket } from "node:net";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ensureBuilt } from "../build.js";
import { approve, desk, standing, submitted } from "./desk.js";
import { serve, type Served, until, view } from "./served.js";

beforeAll(ensureBuilt);

/** A viewer that asks for everything and never reads it. */
function deaf({ url, cookie }: Served, path: string): Socket {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\nAccept: text/event-stream\r\n\r\n`);
  onTestFinished(() => void socket.destroy());
  return socket;
}

describe("viewers beside a run", () => {
  it("two hundred of them, and some that read nothing, each get every event once; the run ends as ever", async () => {
    const project = desk();
    const served = await serve(project);
    const { project: id, run, entry } = await submitted(served);
    const path = `/api/v1/projects/${id}/runs/${run}/events`;
    const viewers = Array.from({ length: 200 }, () => view(`${served.url}${path}`, { cookie: served.cookie }));
    for (let i = 0; i < 5; i++) deaf(served, path);
    await until(() => viewers.every(({ ids }) => ids.length > 0));
    await approve(served, id, run, entry);
    await standing(served, id, run, "completed");
    const log = await project.log();
    const wanted = log.map(({ sequence }) => String(sequence));
    await until(() => viewers.every(({ ids }) => ids.length >= wanted.length));
    for (const { ids } of viewers) expect(ids).toEqual(wanted);
    // One that goes is gone: the server has room for others.
    for (const viewer of viewers) viewer.close();
    const late = view(`${served.url}${path}`, { cookie: served.cookie, "last-event-id": wanted.at(-3) ?? "" });
    await until(() => late.ids.length === 2);
    expect(late.ids).toEqual(wanted.slice(-2));
  }, 180_000);
});
