import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { EXIT } from "../../../app/exit-codes.js";
import { finish } from "../../../app/report.js";
import type { LogLevel } from "../../../server/log.js";
import type { Launch } from "../program.js";
import { stopSignal } from "../../terminal/stop-signal.js";

const USUAL_PORT = 4747;

interface ServeCommandOptions {
  project?: string[];
  port: number;
  host: string;
  cert?: string;
  key?: string;
  publicUrl?: string;
  trustedProxy?: string;
  logLevel: LogLevel;
}

/** The command that serves the API and the dashboard. */
export function addServe(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("serve")
    .summary("serve runs of all projects to browsers and programs")
    .description(
      "Serve an HTTP API and a dashboard for the named projects, or for all that `coordinator projects` lists, and carry " +
        "out their runs. It listens on this machine only.",
    )
    .option(
      "--project <dir...>",
      "the projects to serve; the remembered ones, and that of the current directory, when absent",
    )
    .addOption(
      new Option("--port <n>", "where to listen; 0 takes any free port").argParser(portNumber).default(USUAL_PORT),
    )
    .option("--host <address>", "the address to listen on; others than loopback need TLS or a proxy", "127.0.0.1")
    .option("--cert <file>", "a certificate in PEM form: it then speaks https")
    .option("--key <file>", "the key of the certificate, in PEM form")
    .option("--public-url <url>", "the address browsers see, where it is another one")
    .option("--trusted-proxy <address>", "the IP address of a proxy in front: requests are taken from there only")
    .addOption(
      new Option("--log-level <level>", "what is logged, as JSON lines on stderr")
        .choices(["silent", "error", "warn", "info", "debug"])
        .default("warn"),
    )
    .addHelpText("after", EXAMPLES)
    .action(({ project, port, host: address, cert, key, publicUrl, trustedProxy, logLevel }: ServeCommandOptions) =>
      launch(async ({ cwd, project: { environment }, parts }) => {
        const { startServer } = await import("../../../server/serve.js");
        const { streamsOf } = await import("../../terminal/process-streams.js");
        const { readListenOptions } = await import("../../../server/listen-options.js");
        const from = (file: string | undefined) => (file === undefined ? undefined : resolve(cwd, file));
        const listening = await readListenOptions({
          host: address,
          cert: from(cert),
          key: from(key),
          publicUrl,
          trustedProxy,
        });
        const stop = stopSignal(host);
        const projects = project ?? null;
        const { createLog } = await import("../../../server/log.js");
        const log = createLog({ level: logLevel, now: parts.now, write: (line) => void host.stderr.write(line) });
        const options = { projects, cwd, environment, host: address, port, now: parts.now, log };
        const server = await startServer({ ...options, ...listening });
        const { write } = streamsOf(host);
        const { url, loginUrl, listening: where, places } = server;
        const json = program.opts<{ json?: boolean }>().json === true;
        if (json) await write(`${JSON.stringify({ type: "serving", url, login_url: loginUrl, listening: where })}\n`);
        else await write(`Serving at ${url}, listening on ${where}\nOpen once to log in: ${loginUrl}\n`);
        for (const { root, problem } of json ? [] : places)
          await write(problem === null ? `  ${root}\n` : `  ${root}: ${problem.message} [${problem.code}]\n`);
        await new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }));
        await server.stop();
        return finish(EXIT.done, { type: "served", url: server.url });
      }),
    );
}

function portNumber(value: string): number {
  const found = Number(value);
  if (!/^\d{1,5}$/.test(value) || found > 65_535) throw new InvalidArgumentError("It must be a port, from 0 to 65535.");
  return found;
}

/** The commands about the projects that are served. */
export function addProjects(program: Command, launch: Launch): void {
  const projects = program
    .command("projects")
    .summary("the projects that coordinator serve serves")
    .description("List, add and remove the projects that coordinator serve serves when none is named.")
    .addHelpText("after", "\nExample:\n  $ coordinator projects add ~/shop");
  projects
    .command("list")
    .description("List the projects. They are kept in a file beside your own settings.")
    .addHelpText("after", "\nExample:\n  $ coordinator projects list")
    .action(() =>
      launch(async (context) => {
        const { listProjects } = await import("../../../app/serve/projects.js");
        return listProjects(context);
      }),
    );
  projects
    .command("add")
    .description("Add a project: the one that this folder belongs to.")
    .argument("[dir]", "a folder of the project", ".")
    .addHelpText("after", "\nExample:\n  $ coordinator projects add ~/shop")
    .action((folder: string) =>
      launch(async (context) => {
        const { addProject } = await import("../../../app/serve/projects.js");
        return addProject(folder, context);
      }),
    );
  projects
    .command("remove")
    .description("Remove a project from the list. Nothing in the project is changed.")
    .argument("<dir>", "a folder of the project")
    .addHelpText("after", "\nExample:\n  $ coordinator projects remove ~/shop")
    .action((folder: string) =>
      launch(async (context) => {
        const { removeProject } = await import("../../../app/serve/projects.js");
        return removeProject(folder, context);
      }),
    );
}

/** The commands about who may use the server. */
export function addTokens(program: Command, launch: Launch): void {
  const tokens = program
    .command("token")
    .summary("who may use the server: add, list and revoke their tokens")
    .description(
      "Tokens of people and programs that use your server. metrics sees numbers only, a reader sees everything, an approver also decides and submits " +
        "requests, an admin may also change what is served. Only their hashes are kept.",
    )
    .addHelpText("after", "\nExample:\n  $ coordinator token add grace --role approver --days 30");
  tokens
    .command("add")
    .description("Make a token. It is shown once.")
    .argument("<name>", "whose it is: the name their decisions are logged under")
    .addOption(
      new Option("--role <role>", "what they may do")
        .choices(["metrics", "reader", "approver", "admin"])
        .default("reader"),
    )
    .addOption(new Option("--days <n>", "how long it counts; until it is revoked when absent").argParser(days))
    .addOption(
      new Option("--expires <time>", "when it ends: a day, or a time like 2027-01-31T18:00:00Z").conflicts("days"),
    )
    .addHelpText("after", "\nExample:\n  $ coordinator token add grace --role approver --days 30")
    .action((name: string, { role, days: most, expires }: TokenOptions) =>
      launch(async (context) => {
        const { makeToken } = await import("../../../app/serve/tokens.js");
        const ends = expires === undefined ? (most === undefined ? null : { days: most }) : { at: expires };
        return makeToken({ name, role, expires: ends }, context);
      }),
    );
  tokens
    .command("list")
    .description("List the tokens, without their secrets.")
    .addHelpText("after", "\nExample:\n  $ coordinator token list")
    .action(() =>
      launch(async (context) => {
        const { listTokens } = await import("../../../app/serve/tokens.js");
        return listTokens(context);
      }),
    );
  tokens
    .command("revoke")
    .description("Revoke a token. It and the browsers that were logged in with it end at once.")
    .argument("<name>", "its name or its id")
    .addHelpText("after", "\nExample:\n  $ coordinator token revoke grace")
    .action((name: string) =>
      launch(async (context) => {
        const { dropToken } = await import("../../../app/serve/tokens.js");
        return dropToken(name, context);
      }),
    );
  tokens
    .command("login")
    .description("Make a link that logs a browser in to your running server, once.")
    .argument("[name]", "the token to log in with; yourself when absent")
    .addHelpText("after", "\nExample:\n  $ coordinator token login")
    .action((name: string | undefined) =>
      launch(async (context) => {
        const { makeLoginLink } = await import("../../../app/serve/tokens.js");
        return makeLoginLink(name, context);
      }),
    );
}

interface TokenOptions {
  role: "metrics" | "reader" | "approver" | "admin";
  days?: number;
  expires?: string;
}

function days(value: string): number {
  if (!/^[1-9]\d{0,3}$/.test(value)) throw new InvalidArgumentError("It must be a number of days from 1 to 9999.");
  return Number(value);
}

const EXAMPLES = `
Examples:
  $ coordinator serve                            the projects you have remembered, and that of the current directory
  $ coordinator serve --project ~/shop --port 0  one project, on any free port
  $ coordinator serve --host desk.lan --cert desk.pem --key desk.key
                                                 for other machines, over TLS

Exit codes: 0 stopped, 1 cannot listen, 2 invalid input, 4 refused.`;
