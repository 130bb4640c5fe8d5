import type { Command } from "commander";
import { EXIT } from "../../../app/exit-codes.js";
import { fail, finish } from "../../../app/report.js";
import type { Launch } from "../program.js";
import { stopSignal } from "../../terminal/stop-signal.js";

/** The command that agents start to call Coordinator. */
export function addMcp(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("mcp")
    .summary("let a coding agent submit and watch runs, over MCP on stdin and stdout")
    .description(
      "Serve the Model Context Protocol on stdin and stdout, for the coding agent that starts it. Agents submit, watch and " +
        "explain runs and answer questions about their own work. They approve nothing. coordinator init --mcp registers it.",
    )
    .addHelpText("after", "\nExamples:\n  $ coordinator mcp\n  $ claude mcp add coordinator -- coordinator mcp")
    .action(() =>
      launch(async ({ project: { cwd, environment }, warn }) => {
        if (program.opts<{ yes?: boolean }>().yes === true)
          return fail(EXIT.invalid, "USAGE", "An agent cannot be given a yes beforehand", {
            fix: "Leave --yes out. People approve with coordinator approve, or in the dashboard.",
          });
        const { serveMcp } = await import("../../../mcp/serve.js");
        await serveMcp({ cwd, environment, warn, stop: stopSignal(host) });
        return finish(EXIT.done, { type: "mcp_served" });
      }),
    );
}
