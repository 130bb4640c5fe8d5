import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { z } from "zod";
import { verifyDelivery } from "../../hands/hosts/webhooks.js";
import type { CommandContext } from "../command-context.js";
import type { Watcher } from "../inspect/watch.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";
import { readOwnJson, writeOwnJson } from "../serve/own-json.js";
import { placeOfProject, serverOf } from "./open-host.js";
import { syncHost } from "./sync.js";
import { NO_REQUEST_OPTIONS } from "../request/request-options.js";

/*
 * Messages of a host that something happened there. Each is a hint to look: what it says is not read, and what counts is asked at
 * the host. The ids of those that were taken are kept, so that one that comes twice costs nothing.
 */

const MOST_KEPT = 1000;
const Deliveries = z.object({ schema_version: z.literal("1.0.0"), ids: z.array(z.string()) });

export interface Hint {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** `closed`: the project takes no messages. `refused`: nobody signed it who has the secret. */
export type TakenHint = "closed" | "refused" | "known" | "taken";

/** Contract: `look` is called for a message that is new and signed, after its id is durable. */
export async function takeHint(
  { headers, bytes }: Hint,
  { project, parts }: CommandContext,
  look: () => void,
): Promise<TakenHint> {
  const { configuration } = await project.settings();
  const { code_host: settings } = configuration;
  const secret =
    settings.webhook_secret_env === undefined ? "" : (project.environment[settings.webhook_secret_env] ?? "");
  if (secret.length < LEAST_SECRET) return "closed";
  const { kind } = serverOf((await placeOfProject(project.root, settings, project.environment)).server, settings);
  const delivery = verifyDelivery(kind, headers, bytes, secret, Date.parse(parts.now()));
  if (delivery === null) return "refused";
  if (!keepDelivery(project.at, delivery.id)) return "known";
  look();
  return "taken";
}

/** A shorter one can be guessed. */
const LEAST_SECRET = 16;

/** False for one that was kept before. Contract: durable when it returns. */
function keepDelivery(at: StateFolder, id: string): boolean {
  makeStateFolder(at);
  const file = join(at.folder, "hosts", "deliveries.json");
  const ids = readOwnJson(file, Deliveries)?.ids ?? [];
  if (ids.includes(id)) return false;
  writeOwnJson(file, { schema_version: "1.0.0", ids: [...ids, id].slice(-MOST_KEPT) });
  return true;
}

/** Look at the host of a project. However many ask meanwhile, it is looked once more afterwards. */
export function createLooks(warn: (message: string) => void): (key: string, context: CommandContext) => void {
  const under = new Map<string, { again: boolean }>();
  return function look(key, context) {
    const now = under.get(key);
    if (now !== undefined) {
      now.again = true;
      return;
    }
    const state = { again: false };
    under.set(key, state);
    void syncHost({ watch: false, everySeconds: 0 }, { asking: ASKING, run: {}, around: quietRequestContext(context) })
      .catch((error: unknown) => warn(error instanceof Error ? error.message : String(error)))
      .finally(() => {
        under.delete(key);
        if (state.again) look(key, context);
      });
  };
}

const ASKING = {
  ...NO_REQUEST_OPTIONS,
  words: "",
  again: "coordinator sync",
};

function quietRequestContext(context: CommandContext) {
  return { context, watcher: NOBODY, interrupted: new AbortController().signal };
}

const nothing = () => Promise.resolve();
const NOBODY: Watcher = {
  start: nothing,
  event: nothing,
  progress: nothing,
  state: nothing,
  doing: nothing,
  quiet: nothing,
  idle: () => undefined,
  end: nothing,
};
