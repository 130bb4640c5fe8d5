import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { traceable } from "../../chaos/traced.js";
import { type Hostile, openHostile, type Opened, PEOPLE, type Person, PROGRAM } from "./hostile.js";

/*
 * Random projects of links and settings, and the kernel as witness: strace says which files were opened for writing, made,
 * renamed or removed, and which were read. Of what lies outside of the project, the state folder and the temporary folder,
 * none may be written, and of the person's own files none may be read but their settings.
 */

const TARGETS = [
  "HOME/.bashrc",
  "HOME/.ssh/id_ed25519",
  "HOME/.config/gh/hosts.yml",
  "HOME/.config/autostart",
  "HOME/notes",
  "HOME/notes/adr",
  "HOME/notes/adr/0001-secret.md",
  "HOME/notes/secret.yaml",
  "HOME/notes/secret.json",
  "HOME/box",
  "HOME/box/new",
  "../home/notes/private.md",
  "../../home/notes/private.md",
  "README.md",
  "src",
  "one",
  "two",
];

const PLACES = [
  ".coordinator/board/state.json",
  ".coordinator/board/sessions",
  ".coordinator/records/run_1",
  ".coordinator/plans/first",
  "coordinator.yaml",
  "governance",
  "governance/context.yaml",
  "governance/policy.yaml",
  "governance/intake-policy.yaml",
  "governance/execution-policy.yaml",
  "governance/contracts/coordinator.yaml",
  "docs",
  "docs/adr",
  "docs/adr/0001-a.md",
  "docs/guide.md",
  "registry",
  "registry/rules/a.yaml",
  "governance/registry",
  "governance/registry/agents/a.yaml",
  "governance/scope.yaml",
  ".github/CODEOWNERS",
  "CODEOWNERS",
  "Cargo.toml",
  "rust-toolchain.toml",
  "go.mod",
  "Makefile",
  "setup.cfg",
  ".npmrc",
  ".yarnrc.yml",
  "yarn.lock",
  "pnpm-lock.yaml",
  "uv.lock",
  "sessions",
  "sessions/2026-01-01-a.md",
  "package.json",
  "package-lock.json",
  "pyproject.toml",
  ".github/workflows/ci.yml",
  ".gitattributes",
  ".gitignore",
  ".adr-dir",
  ".python-version",
  "coverage/coverage-summary.json",
  "plan",
  ".plan.next",
  ".plan.previous",
  "facts.json",
  ".facts.json.next",
  "one",
  "two",
];

const SETTINGS = [
  { "coordinator.yaml": "board: {}\n" },
  { "coordinator.yaml": "board: { queue: docs/queue.json, hq: docs/HQ.md, sessions: docs/adr }\n" },
  { "coordinator.yaml": "record: { anchor: docs/anchors.jsonl }\n" },
  { "governance/context.yaml": "- ref: docs/guide.md\n  kind: standard\n- ref: package.json\n  kind: adr\n" },
  { ".adr-dir": "../home/notes/adr\n" },
  { ".adr-dir": "docs/adr\n" },
];

const COMMANDS: readonly (readonly string[])[] = [
  ["facts", "collect", "--out", "facts.json"],
  ["facts", "collect"],
  ["memory", "build"],
  ["adr", "list"],
  ["adr", "check", "docs/adr/0001-a.md"],
  ["route", "README.md"],
  ["intake", "README.md", "--repo", "."],
  ["plan", "Document the function one() of src/index.js in README.md", "--out", "plan"],
  ["verify", "plan"],
  ["registry", "check"],
  ["doctor", "--no-checks"],
  ["trust", "--show"],
  ["init", "--yes", "--force", "--no-checks"],
  ["status"],
];

const repositories: fc.Arbitrary<Hostile> = fc
  .record({
    links: fc.dictionary(fc.constantFrom(...PLACES), fc.constantFrom(...TARGETS), { minKeys: 1, maxKeys: 6 }),
    files: fc.subarray(SETTINGS, { maxLength: 3 }).map((all) => Object.assign({}, ...all) as Record<string, string>),
  })
  .map(({ links, files }) => {
    // A folder that is a link holds no files of the repository: the outermost link of those that meet stands.
    const outer = (path: string) => Object.keys(links).some((other) => path.startsWith(`${other}/`));
    const kept = Object.fromEntries(Object.entries(links).filter(([path]) => !outer(path)));
    const texts = Object.entries(files).filter(([path]) => !(path in kept) && !outer(path));
    return { links: kept, files: Object.fromEntries(texts) };
  });

const CALLS =
  "open,openat,openat2,creat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mkdir,mkdirat,unlink,unlinkat,rmdir," +
  "truncate,chmod,fchmodat,chown,fchownat,lchown,mknod,mknodat,bind,read,pread64,readv";

/** What the program did to files of the person: by the real paths that the kernel has for them. */
function witnessed(
  { project, home, folder, environment }: Opened,
  command: readonly string[],
  { uid }: Person,
): { said: string; found: string[] } {
  const out = join(folder, "tmp", "trace");
  const watched = `strace -f -qq -y -s 0 -o ${out} -e trace=${CALLS}`.split(" ");
  const [program = "", ...args] = [...watched, process.execPath, PROGRAM, "--no-input", ...command];
  const as = uid === null ? {} : { uid, gid: uid };
  const ran = spawnSync(program, args, { cwd: project, env: environment, encoding: "utf8", maxBuffer: 1 << 28, ...as });
  const held = new Map<string, string>();
  const found = wholeCalls(readFileSync(out, "utf8")).flatMap((line) => {
    const [, number, path] = / = (\d+)<([^>]*)>$/.exec(line) ?? [];
    if (number !== undefined && path !== undefined) held.set(number, path);
    // A folder that is held is named by its number: the path behind it is the one it was opened by.
    const plain = line.replaceAll(/\/proc\/self\/fd\/(\d+)/g, (name, handle: string) => held.get(handle) ?? name);
    return judged(plain, { project, home, folder });
  });
  return { said: `${ran.stdout}${ran.stderr}`, found: [...new Set(found)] };
}

/** A call that another process came in between is written in two lines. */
function wholeCalls(trace: string): string[] {
  const begun = new Map<string, string>();
  return trace.split("\n").flatMap((line) => {
    const [, pid = "", text = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const [, beginning] = /^(.*?)\s*<unfinished \.\.\.>$/.exec(text) ?? [];
    if (beginning !== undefined) {
      begun.set(pid, beginning);
      return [];
    }
    const [, end] = /^<\.\.\. \w+ resumed>(.*)$/.exec(text) ?? [];
    return [end === undefined ? line : `${pid} ${begun.get(pid) ?? ""}${end}`];
  });
}

/** Where this program may read and write around the project. */
function isAllowed(path: string, { project, home, folder }: Pick<Opened, "project" | "home" | "folder">): boolean {
  const own = [project, join(folder, "tmp"), join(home, ".local/state/coordinator"), join(home, ".config/coordinator")];
  return !path.startsWith(folder) || own.some((each) => path === each || path.startsWith(`${each}/`));
}

/** `-y` writes the real path behind every descriptor: `read(7</home/ada/.bashrc>, …) = 12`. */
function judged(line: string, places: Pick<Opened, "project" | "home" | "folder">): string[] {
  const call = /^\d+\s+(\w+)\((.*)$/.exec(line);
  if (call === null || / = -1 /.test(line)) return [];
  const [, name = "", rest = ""] = call;
  const opened = /= \d+<([^>]*)>/.exec(rest)?.[1];
  if (name.startsWith("open") || name === "creat") {
    if (opened === undefined || isAllowed(opened, places)) return [];
    return /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(rest) || name === "creat" ? [`written: ${line}`] : [];
  }
  if (/^(?:read|pread64|readv)$/.test(name)) {
    const from = /^\d+<([^>]*)>/.exec(rest)?.[1];
    const isRead = from !== undefined && !isAllowed(from, places) && !line.endsWith(" = 0");
    return isRead ? [`read: ${from}`] : [];
  }
  // A name that is made, moved or removed: where its folder is a descriptor, that is its real path.
  const named = [...rest.matchAll(/(?:\d+|AT_FDCWD)<([^>]*)>,\s*"([^"]*)"|"(\/[^"]*)"/g)].map(
    ([, at, below, whole]) => whole ?? (below?.startsWith("/") === true ? below : `${at}/${below}`),
  );
  return named.filter((path) => !isAllowed(path, places)).map((path) => `${name}: ${path}`);
}

/** For another person fewer: what decides is the same code. */
const runsFor = (who: Person) => (who === PEOPLE[0] ? 10 : 4);

describe.each(PEOPLE)(
  traceable
    ? "as $name, what the kernel sees"
    : "as $name, what the kernel sees (skipped: no strace, or it may not trace)",
  (who) => {
    it.skipIf(!traceable)("sees a file of the person that is read, and one that is written", () => {
      const opened = openHostile({}, who);
      const intent = join(opened.home, "notes", "secret.json");
      expect(witnessed(opened, ["plan", "--intent", intent], who).found).toContainEqual(
        expect.stringContaining(intent),
      );
      const target = join(opened.home, "box", "facts.json");
      expect(witnessed(opened, ["facts", "collect", "--out", target], who).found.join("\n")).toMatch(
        /written: .*box\/\.facts\.json/,
      );
    });

    it.skipIf(!traceable)(
      "writes nothing and reads nothing outside, in projects of random links and settings",
      async () => {
        await fc.assert(
          fc.asyncProperty(
            repositories,
            fc.shuffledSubarray([...COMMANDS], { minLength: 2, maxLength: 2 }),
            async (repository, commands) => {
              const opened = openHostile(repository, who);
              for (const command of commands) {
                const { said, found } = witnessed(opened, command, who);
                expect(found).toEqual([]);
                expect(opened.harm(said)).toEqual([]);
                expect(said).not.toContain("INTERNAL");
              }
            },
          ),
          { numRuns: runsFor(who) },
        );
      },
    );
  },
);
