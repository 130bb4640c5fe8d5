import { type Command, Option } from "commander";
import type { Launch } from "../program.js";
import { seconds } from "../runs.js";
import { stopSignal } from "../../terminal/stop-signal.js";

/** The command that the hook of a coding agent's program starts. */
export function addPermission(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("permission")
    .summary("ask a person for a permission of a coding agent; its hook starts this")
    .description(
      "Put a request for permission of Claude Code into the inbox, wait until a person decides it, and print the decision " +
        "as its hook PermissionRequest wants it. The request is read from stdin. Prints nothing where Coordinator is not set up.",
    )
    .addOption(
      new Option("--wait <seconds>", "how long to wait for the person").argParser(seconds).default(540_000, "540"),
    )
    .addHelpText("after", "\nExample:\n  $ coordinator permission --wait 60 < request.json")
    .action(({ wait }: { wait: number }) =>
      launch(async (context) => {
        const { askPermission } = await import("../../../app/decide/ask-permission.js");
        const { streamsOf } = await import("../../terminal/process-streams.js");
        const pieces: Uint8Array[] = [];
        for await (const piece of streamsOf(host).input) pieces.push(piece);
        const input = Buffer.concat(pieces).toString("utf8");
        return askPermission({ input, waitMs: wait, stop: stopSignal(host) }, context);
      }),
    );
}
