import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Case } from "./settings-probe.js";

/* The home of a person who clones, with what they keep there, and hostile clones in it. */

export const CANARY = "canary-of-the-person";

export interface Person {
  readonly home: string;
  readonly work: string;
  readonly env: Readonly<Record<string, string>>;
  /** A clone with these settings and files. */
  readonly clone: (name: string, settings: object, files?: Readonly<Record<string, string>>) => string;
  /** Gives everything to whom it belongs. */
  readonly settle: () => void;
  readonly close: () => void;
}

const SECRETS = [
  ".config/gh/hosts.yml .claude/.credentials.json .git-credentials .npmrc .netrc .docker/config.json",
  ".gnupg/key .kube/config .mozilla/firefox/logins.json .password-store/a.gpg .pgpass",
  ".cargo/credentials.toml .local/state/coordinator/trust/other.json .config/coordinator/notes.txt",
  "backup/of-home/.ssh/id_ed25519 documents/letter.txt",
].flatMap((line) => line.split(" "));

/** What the person's own settings say: an agent that is theirs. */
const OWN = { agents: { mine: { command: ["/bin/cat"], mode: null } } };

export function personIn(folder: string, uid: number | null, own: object = {}): Person {
  const home = join(folder, "home");
  for (const path of SECRETS) put(home, path, `${CANARY} ${path}\n`);
  put(home, ".config/coordinator/config.yaml", JSON.stringify({ ...OWN, ...own }));
  put(home, "kit/bin/own-tool", "#!/bin/sh\necho the tool\n");
  put(home, "late/bin/own-tool", "#!/bin/sh\necho the tool\n");
  put(home, "sockets/read-me", "a folder with a socket\n");
  put(home, "pipes/read-me", "a folder with a FIFO\n");
  execFileSync("chmod", ["-R", "a+rX,u+x", join(home, "kit"), join(home, "late"), join(home, "sockets")]);
  execFileSync("chmod", ["a+x", join(home, "kit/bin/own-tool"), join(home, "late/bin/own-tool")]);
  execFileSync("mkfifo", [join(home, "pipes/fifo")]);
  symlinkSync(join(home, ".config/gh"), join(home, "linked"));
  symlinkSync(join(home, "kit"), join(home, "moving"));
  const socket: Server = createServer((each) => each.end("OUTSIDE"));
  socket.listen(join(home, "sockets/agent.sock"));
  mkdirSync(join(folder, "work"), { recursive: true });
  return {
    home,
    work: join(folder, "work"),
    env: { HOME: home, TMPDIR: join(folder, "tmp") },
    clone: (name, settings, files = {}) => {
      const root = join(home, "clones", name.replaceAll(/[^\w]+/g, "-").slice(0, 80));
      put(root, "coordinator.yaml", JSON.stringify(settings));
      for (const [path, content] of Object.entries(files)) put(root, path, content);
      mkdirSync(join(root, ".git"), { recursive: true });
      return root;
    },
    settle: () => {
      mkdirSync(join(folder, "tmp"), { recursive: true });
      if (uid !== null) execFileSync("chown", ["-R", "-h", `${uid}:${uid}`, folder]);
    },
    close: () => void socket.close(),
  };
}

/** The part of the Coordinator that a sandbox with a network starts. */
export function copyRelay(program: string): void {
  const relay = fileURLToPath(new URL("../../../dist/hands/sandbox/network/relay.js", import.meta.url));
  cpSync(relay, join(dirname(program), "relay.js"));
}

function put(folder: string, path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** Looks for the canary in every place it could be, and says what it found. */
export const search = (home: string) =>
  `for at in "$HOME" ${home} /opt /tmp /ws /home /root /var /mnt /srv /media /etc /run; do grep -rsl ${CANARY} "$at" 2>/dev/null; done; echo searched`;

const DIAL = `const { connect } = require("net");
const targets = process.argv.slice(1);
const ask = (target) => new Promise((resolve) => {
  const socket = connect(3128, "127.0.0.1", () => socket.write("CONNECT " + target + " HTTP/1.1\\r\\n\\r\\n"));
  let said = "";
  socket.on("data", (chunk) => (said += chunk)).on("error", () => undefined);
  socket.on("close", () => resolve(said === "" ? "no way out" : said.includes("HOST SERVICE") ? "reached" : said.split(" ")[1]));
});
Promise.all(targets.map(ask)).then((answers) => console.log(answers.join(",")));`.replaceAll(/\n\s*/g, " ");

/** Asks the way out of the sandbox, where there is one, for these targets; \`$PORT\` is a service of the host. */
export const dial = (...targets: readonly string[]) =>
  `node -e '${DIAL}' ${targets.map((each) => `"${each}"`).join(" ")}`;

const CONNECT = `const { connect } = require("net");
const socket = connect(process.argv[1]);
socket.on("data", (chunk) => console.log("connected", String(chunk))).on("error", (error) => console.log(error.code));`.replaceAll(
  /\n\s*/g,
  " ",
);

export const connectTo = (socket: string) => `node -e '${CONNECT}' ${socket}`;

export type Attack = Omit<Case, "root"> & { readonly settings: object; readonly files?: Record<string, string> };
