import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { LoggedEvent } from "../../src/model/event.js";
import { measure } from "../../src/mind/telemetry/instruments.js";
import type { Span } from "../../src/mind/telemetry/open-spans.js";
import { SpanFold } from "../../src/mind/telemetry/spans.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const names = readdirSync(HERE).filter((name) => existsSync(`${HERE}/${name}/log.jsonl`));

function logOf(name: string): LoggedEvent[] {
  const text = readFileSync(`${HERE}/${name}/log.jsonl`, "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as LoggedEvent);
}

/** What a process sends that reads the log from its beginning and leaves out what another one had sent. */
function sentBehind(log: readonly LoggedEvent[], cursor: number): Span[] {
  const fold = new SpanFold({ content: false });
  return log.flatMap((logged) => fold.take(logged)).filter(({ sequence }) => sequence > cursor);
}

describe("spans of whole logs", () => {
  it.each(names)("of %s are a tree: each key once, each parent there, and every attempt has its span", (name) => {
    const log = logOf(name);
    const spans = sentBehind(log, 0);
    const byKey = new Map(spans.map((span) => [span.key, span]));
    expect(byKey.size).toBe(spans.length);
    for (const { parent, key } of spans) if (parent !== null) expect(byKey.has(parent), `${key}: ${parent}`).toBe(true);
    const count = (about: Span["about"]) => spans.filter((span) => span.about === about).length;
    const events = (type: string) => log.filter(({ event }) => event.type === type).length;
    expect(count("run")).toBe(1);
    expect(count("attempt")).toBe(events("attempt_started"));
    expect(count("verify")).toBeGreaterThanOrEqual(events("verification_finished"));
    const answered = events("question_answered") + events("escalation_answered");
    expect(count("wait")).toBeGreaterThanOrEqual(Math.min(1, answered));
    const verdicts = spans.flatMap(measure).filter(({ instrument }) => instrument.name === "coordinator.verdicts");
    expect(verdicts).toHaveLength(events("verification_finished"));
  });

  it.each(names)("of %s are the same for two processes that share the log, wherever the first one ended", (name) => {
    const log = logOf(name);
    const whole = sentBehind(log, 0);
    for (let cut = 0; cut <= log.length; cut++) {
      const first = sentBehind(log.slice(0, cut), 0);
      expect([...first, ...sentBehind(log, cut)], `cut at ${cut}`).toEqual(whole);
    }
  });

  it("hold no words of people and agents unless they are asked for", () => {
    const said = (content: boolean) => {
      const fold = new SpanFold({ content });
      return JSON.stringify(logOf("0.1.0-completed").flatMap((logged) => fold.take(logged)));
    };
    const [request] = logOf("0.1.0-completed").flatMap(({ event }) =>
      event.type === "request_received" ? [event.request] : [],
    );
    expect(request?.length).toBeGreaterThan(3);
    expect(said(false)).not.toContain(JSON.stringify(request));
    expect(said(true)).toContain(JSON.stringify(request));
  });
});
