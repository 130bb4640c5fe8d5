import { type Command, InvalidArgumentError, Option } from "commander";
import type { Launch } from "./program.js";
import { watcherFor } from "../terminal/watcher.js";

/** The commands that look at runs and change nothing. */
export function addRuns(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("status")
    .summary("the runs, or one of them on one screen")
    .description("List the runs, newest first; or show one: what runs, what waits on you, what failed, what it costs.")
    .argument("[run]", "the run's id, the beginning of it, or last")
    .addHelpText("after", "\nExamples:\n  $ coordinator status\n  $ coordinator status last")
    .action((run: string | undefined) =>
      launch(async (context) => {
        if (run === undefined) return (await import("../../app/inspect/list-runs.js")).listRuns(context);
        return (await import("../../app/inspect/status.js")).showRun(run, context);
      }),
    );
  program
    .command("watch")
    .summary("follow a run")
    .description("Follow a run until it is over or waits on people only. With --json, one JSON document a line.")
    .argument("[run]", "the run's id, the beginning of it, or last", "last")
    .addOption(new Option("--from <n>", "start with this event").argParser(eventNumber).default(1))
    .addOption(
      new Option("--idle <seconds>", "how long to wait for somebody to work on it when nobody does")
        .argParser(seconds)
        .default(10_000, "10"),
    )
    .addHelpText("after", WATCH)
    .action((run: string, { from, idle }: { from: number; idle: number }) =>
      launch(async (context) => {
        const { watchRun } = await import("../../app/inspect/watch.js");
        return watchRun({ run, from, idleMs: idle }, context, await watcherFor(host));
      }),
    );
  program
    .command("response")
    .summary("what a run delivered, what it cost, what to do next")
    .description(
      "Show the result of a request: what was delivered, what it cost, what is in the way, what to type next.",
    )
    .argument("[run]", "the run's id, the beginning of it, or last", "last")
    .addHelpText("after", "\nExamples:\n  $ coordinator response\n  $ coordinator response last --json")
    .action((run: string) =>
      launch(async (context) => {
        const { showResponse } = await import("../../app/inspect/response.js");
        return showResponse(run, context);
      }),
    );
  program
    .command("inbox")
    .summary("everything that waits on you")
    .description("List every open question, approval and escalation of all runs, oldest first.")
    .addHelpText(
      "after",
      "\nExample:\n  $ coordinator inbox\n\nExit codes: 0 when nothing waits, 3 when something does.",
    )
    .action(() =>
      launch(async (context) => {
        const { showInbox } = await import("../../app/inspect/inbox.js");
        return showInbox(context);
      }),
    );
}

/** The commands about a run's log. */
export function addTapes(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("replay")
    .summary("fold a run's log again")
    .description("Fold a run's log again, event by event, and show what it was at one of them.")
    .argument("<run>", "the run's id, the beginning of it, or last")
    .addOption(new Option("--at <n>", "stop at this event").argParser(eventNumber))
    .option("--events", "show each event and what it changed")
    .addHelpText("after", "\nExamples:\n  $ coordinator replay last\n  $ coordinator replay last --at 12 --events")
    .action((run: string, { at, events }: { at?: number; events?: boolean }) =>
      launch(async (context) => {
        const { replayRun } = await import("../../app/inspect/replay-run.js");
        return replayRun(run, at ?? null, events === true, context);
      }),
    );
  program
    .command("export")
    .summary("a run's tape, to prove it elsewhere")
    .description("Write a run's log with its signed checkpoints and the key to check them; anyone can verify it.")
    .argument("<run>", "the run's id, the beginning of it, or last")
    .option("--out <file>", "write to this file; without it the tape goes to stdout")
    .addOption(new Option("--format <form>", "JSON lines or one document").choices(["jsonl", "json"]).default("jsonl"))
    .addHelpText("after", "\nExample:\n  $ coordinator export last --out run.tape\n  $ coordinator verify run.tape")
    .action((run: string, { out, format }: { out?: string; format: "jsonl" | "json" }) =>
      launch(async (context) => {
        const { exportRun } = await import("../../app/inspect/export.js");
        const { streamsOf } = await import("../terminal/process-streams.js");
        return exportRun({ run, out, format }, streamsOf(host).write, context);
      }),
    );
}

/** The command that keeps a run's checkpoints elsewhere. */
export function addAnchor(program: Command, launch: Launch): void {
  program
    .command("anchor")
    .summary("keep a run's checkpoints where nobody changes them unnoticed")
    .description(
      "Copy the signed checkpoints of a run to a file or into git, so that a log that is cut off or written anew shows. " +
        "Every run does so by itself at the places that record.anchor names in coordinator.yaml.",
    )
    .argument("<run>", "the run's id, the beginning of it, or last")
    .option(
      "--to <place...>",
      "a file, git: for refs/coord/anchors/RUN, or git:refs/coord/NAME; what is configured when absent",
    )
    .addHelpText("after", ANCHOR)
    .action((run: string, { to }: { to?: string[] }) =>
      launch(async (context) => {
        const { anchorByHand } = await import("../../app/prove/anchor.js");
        return anchorByHand({ run, to: to ?? [] }, context);
      }),
    );
}

const ANCHOR = `
Examples:
  $ coordinator anchor last --to /mnt/other/anchors.jsonl
  $ coordinator anchor last --to git: && git push origin 'refs/coord/anchors/*'

Exit codes: 0 anchored, 1 a place could not be written or knows something else than the log.`;

/** Seconds as milliseconds. */
export function seconds(value: string): number {
  const found = Number(value);
  if (value.trim() === "" || !(found >= 0 && found <= 86_400))
    throw new InvalidArgumentError("It must be a number of seconds.");
  return found * 1000;
}

function eventNumber(value: string): number {
  if (!/^[1-9]\d{0,14}$/.test(value)) throw new InvalidArgumentError("It must be the number of an event, from 1.");
  return Number(value);
}

const WATCH = `
Examples:
  $ coordinator watch                        the newest run
  $ coordinator watch last --json | jq .     one JSON document a line
  $ coordinator watch last --from 120        what came after event 119

Exit codes: 0 completed, 1 failed, 3 waits on a person, or to be resumed.`;
