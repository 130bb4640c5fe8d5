import { followStream } from "./event-stream.ts";

/*
 * One stream of events for all tabs of a browser. A browser opens six connections to a server at most, and a stream takes
 * one for as long as it lasts: with a stream for each tab, the seventh tab would wait for ever.
 */

const tabs = new Set<MessagePort>();
const stream = followStream((message) => {
  for (const tab of tabs) tab.postMessage(message, []);
});

function take(tab: MessagePort, wish: unknown): void {
  if (wish === "close") {
    tabs.delete(tab);
    if (tabs.size === 0) stream.close();
    return;
  }
  tabs.add(tab);
  stream.open();
  tab.postMessage({ type: "connection", connection: stream.connection() }, []);
}

globalThis.addEventListener("connect", (event) => {
  const [tab] = (event as MessageEvent).ports;
  if (tab === undefined) return;
  tab.addEventListener("message", ({ data }) => take(tab, data));
  tab.start();
});
