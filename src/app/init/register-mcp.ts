import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { readdir, readFile } from "../../foundation/files/read-files.js";
import { CLIENT_FILES, type Insertion, registrationIn, withoutServer } from "../../hands/settings/mcp-clients.js";
import { saysNothing } from "../../hands/settings/mcp-clients-removal.js";
import { CoordinatorError } from "../../model/errors.js";
import { MCP_CLIENTS, McpClient } from "../../model/settings/mcp-client.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { ClientChange } from "../serve-reports.js";
import { removeMade, writeForeign } from "../project/write-file.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";
import { readOwnJson, writeOwnJson } from "../serve/own-json.js";

/*
 * Registration of `coordinator mcp` with the programs of coding agents. Their files are somebody else's: each change is shown
 * first, is written after a yes, and is kept word for word so that it can be taken out again.
 */

export interface RegisterArguments {
  readonly at: StateFolder;
  readonly environment: NodeJS.ProcessEnv;
  readonly dryRun: boolean;
  /** Asks whether to write what is shown; null when nobody can be asked: then naming the clients was the yes. */
  readonly confirm: ((shown: string) => Promise<boolean>) | null;
}

const Kept = z.strictObject({
  schema_version: z.literal("1.0.0"),
  clients: z.array(z.strictObject({ client: McpClient, file: z.string(), inserted: z.string(), made: z.boolean() })),
});
type Kept = z.infer<typeof Kept>["clients"];

const keptFile = ({ folder }: StateFolder) => join(folder, "mcp-clients.json");
const readKept = (at: StateFolder): Kept => readOwnJson(keptFile(at), Kept)?.clients ?? [];

function keep(at: StateFolder, clients: Kept): void {
  makeStateFolder(at);
  writeOwnJson(keptFile(at), { schema_version: "1.0.0", clients });
}

/** Contract: a name that is not known, and a file that cannot be read, end all of it before anything is written. */
export async function registerMcp(names: readonly string[], args: RegisterArguments): Promise<Finished> {
  const unknown = names.find((name) => !McpClient.safeParse(name).success);
  if (unknown !== undefined)
    return fail(EXIT.invalid, "USAGE", `Coordinator cannot be registered with ${unknown}`, {
      fix: `One of ${MCP_CLIENTS.join(", ")}. Other programs start it with: coordinator mcp`,
    });
  const wanted = MCP_CLIENTS.filter((client) => names.includes(client));
  const found = [];
  for (const client of wanted) found.push(await registrationOf(client, args));
  const changes: ClientChange[] = [];
  for (const one of found) changes.push(await register(one, args));
  return finish(EXIT.done, { type: "mcp_registered", changes });
}

interface Found {
  readonly about: Pick<ClientChange, "client" | "title" | "file">;
  readonly before: string | null;
  readonly insertion: Insertion | null;
}

async function registrationOf(client: McpClient, { at, environment }: RegisterArguments): Promise<Found> {
  const { title, path } = CLIENT_FILES[client];
  const file = path(at.root, environment["HOME"] ?? homedir(), environment);
  const before = await textOf(file);
  const registration = registrationIn(client, before);
  if (registration.status === "broken") {
    const { line, column, message } = registration.problem;
    throw new CoordinatorError("DOCUMENT_INVALID", `${file}:${line}:${column}: ${message}. It was not changed`, {
      fix: `Mend the file, or register Coordinator with ${title} by hand: the command is coordinator mcp.`,
    });
  }
  const insertion = registration.status === "new" ? registration.insertion : null;
  return { about: { client, title, file }, before, insertion };
}

async function register({ about, before, insertion }: Found, args: RegisterArguments): Promise<ClientChange> {
  if (insertion === null) return { ...about, status: "already", diff: [] };
  const diff = withSign(insertion.text, "+");
  if (args.dryRun) return { ...about, status: "shown", diff };
  if (args.confirm !== null && !(await args.confirm(`${about.file}\n${diff.join("\n")}`)))
    return { ...about, status: "declined", diff };
  const { client, file } = about;
  // Before the file is changed: what is put in can be taken out whatever happens then.
  const others = readKept(args.at).filter((one) => one.client !== client);
  keep(args.at, [...others, { client, file, inserted: insertion.text, made: before === null }]);
  const whole = before ?? "";
  await writeForeign(file, whole.slice(0, insertion.at) + insertion.text + whole.slice(insertion.at));
  return { ...about, status: "written", diff };
}

/** The clients that a project or a machine seems to have: agents that were found, and editors with a folder in the project. */
export async function clientsHere(root: string, agents: readonly string[]): Promise<McpClient[]> {
  const folders: Partial<Record<McpClient, string>> = { cursor: ".cursor", vscode: ".vscode" };
  const there = new Set(await readdir(root));
  return MCP_CLIENTS.filter((client) => agents.includes(client) || there.has(folders[client] ?? ""));
}

/** Contract: what cannot be changed stops nothing else, and is said. */
export async function offerRegistration(clients: readonly McpClient[], args: RegisterArguments): Promise<string> {
  const told: string[] = [];
  for (const client of clients)
    try {
      const { title, status } = await register(await registrationOf(client, args), args);
      told.push(`${title}: ${status === "written" ? "registered" : status}`);
    } catch (error) {
      if (!(error instanceof CoordinatorError)) throw error;
      told.push(error.message);
    }
  return told.join("; ");
}

/** Take out again what was put in. Contract: a file in which it says something else by now stays as it is, and is named. */
export async function unregisterMcp(args: RegisterArguments): Promise<Finished> {
  const changes: ClientChange[] = [];
  for (const one of readKept(args.at)) changes.push(await unregister(one, args));
  return finish(EXIT.done, { type: "mcp_registered", changes });
}

async function unregister(kept: Kept[number], args: RegisterArguments): Promise<ClientChange> {
  const { client, file, inserted, made } = kept;
  const about = { client, title: CLIENT_FILES[client].title, file };
  const before = await textOf(file);
  const after = before === null ? null : withoutServer(client, before, inserted);
  const empty = made && after !== null && saysNothing(CLIENT_FILES[client].form, after);
  const diff = linesLost(before ?? "", empty ? "" : (after ?? ""));
  const forget = () =>
    keep(
      args.at,
      readKept(args.at).filter((one) => one.client !== client),
    );
  if (before === null) {
    if (!args.dryRun) forget();
    return { ...about, status: "absent", diff: [] };
  }
  if (after === null) return { ...about, status: "changed", diff: withSign(inserted, "-") };
  if (args.dryRun) return { ...about, status: "shown", diff };
  if (args.confirm !== null && !(await args.confirm(`${file}\n${diff.join("\n")}`)))
    return { ...about, status: "declined", diff };
  if (empty) await removeMade(file);
  else await writeForeign(file, after);
  forget();
  return { ...about, status: "removed", diff };
}

/** The lines in which two texts differ, as far as their beginnings and their ends are the same. */
function linesLost(before: string, after: string): string[] {
  const [old, left] = [before.split("\n"), after === "" ? [] : after.split("\n")];
  let from = 0;
  while (from < left.length && old[from] === left[from]) from++;
  let same = 0;
  while (same < left.length - from && old.at(-1 - same) === left.at(-1 - same)) same++;
  const showChanged = (lines: string[], sign: "+" | "-") => {
    const middle = lines.slice(from, lines.length - same);
    return middle.length === 0 ? [] : withSign(middle.join("\n"), sign);
  };
  return [...showChanged(old, "-"), ...showChanged(left, "+")];
}

function withSign(text: string, sign: "+" | "-"): string[] {
  return text
    .replace(/^\n/, "")
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${sign} ${line}`);
}

async function textOf(file: string): Promise<string | null> {
  try {
    const bytes = await readFile(file);
    const text = bytes.toString("utf8");
    // Written back, other bytes would not be what they were.
    if (Buffer.from(text, "utf8").equals(bytes)) return text;
    throw new CoordinatorError("DOCUMENT_INVALID", `${file} is not UTF-8. It was not changed`, {
      fix: "Save it as UTF-8, or change it by hand: the command is coordinator mcp.",
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
