import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { ensureBuilt } from "../../build.js";
import { asked } from "../../e2e/asked.js";
import { atTerminal } from "../../e2e/terminal.js";

/*
 * What others wrote is shown at a terminal: names of files, words of agents, output of checks and of package managers,
 * settings, records. None of it may move the cursor, set the title, fill the clipboard or turn the writing round.
 */

beforeAll(ensureBuilt, 300_000);

/** Clears the screen, sets the title, writes the clipboard, turns the writing round, and the same by 8-bit signs. */
const EVIL = "\u001b[2J\u001b]0;PWNED\u0007\u001b]52;c;aGk=\u0007\u202egnp\u009b2J\r";
/** What our own program writes: looks, and the line it draws over itself. */
// oxlint-disable-next-line no-control-regex -- control characters are what it is for
const OURS = /\u001b\[(?:1|2|22|31|32|33|39)m|\r\u001b\[2K|\u001b\[(?:\d+A|0J|2K)|\u001b\[\?(?:25|2004)[hl]|\r\n|\r/g;
// oxlint-disable-next-line no-control-regex -- control characters are what it is for
const ACTS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

const acting = (screen: string) =>
  [...new Set(screen.replaceAll(OURS, "").match(ACTS) ?? [])].map((sign) => JSON.stringify(sign));

const TITLE = "Document the colours in docs/colours.md";
const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"node --test"},"devDependencies":{"some-package":"1"}}\n',
  "test/nothing.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
  ".gitignore": ".coordinator/\n",
  [`docs/na${EVIL}me.md`]: "# A name\n",
  "docs/adr/0001-evil.md": `# 1. Evil ${EVIL}\n\n## Status\n\nAccepted\n\n## Decision\n\n- Write ${EVIL} into \`README.md\`\n`,
};

function clone() {
  const desk = asked(FILES, [{ title: TITLE, writes: { "docs/colours.md": `# Colours ${EVIL}\n` } }], {
    settings: {
      checks: [{ name: "test", run: "printf '\\033[2J\\033]0;PWNED\\007'; node --test" }],
      agents: { other: { command: [`x${EVIL}`], protocol: "command" } },
      scope: { network: [`host${EVIL}.example`] },
      criteria: { [`a${EVIL}`]: "test" },
    },
  });
  const bin = join(dirname(desk.cwd), "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(
    join(bin, "npm"),
    "#!/bin/sh\nprintf 'added \\033[2J\\033]0;PWNED\\007\\n'\nprintf 'warn \\033[2J\\n' >&2\n",
  );
  chmodSync(join(bin, "npm"), 0o755);
  desk.env["PATH"] = `${bin}:${desk.env["PATH"]}`;
  return desk;
}

it("no command shows a sign that a terminal acts on, whoever wrote it", async () => {
  // The witness sees each of them.
  expect(acting(EVIL).length).toBeGreaterThan(3);
  const desk = clone();
  const seen: Record<string, string[]> = {};
  for (const command of [
    ["trust", "--show"],
    ["doctor"],
    ["adr", "list"],
    ["adr", "check", "docs/adr/0001-evil.md"],
    ["run", TITLE, "--agent", "scripted", "--yes"],
    ["status"],
    ["inbox"],
    ["response", "last"],
    ["replay", "last"],
    ["diff", "last"],
    ["explain", "--run", "last"],
    ["init", "--force", "--yes", "--install", "--no-checks"],
  ]) {
    const at = atTerminal(desk, command, 120);
    await at.ended;
    expect([command, at.raw().length > 20]).toEqual([command, true]);
    seen[command.join(" ")] = acting(at.raw());
  }
  expect(seen).toEqual(Object.fromEntries(Object.keys(seen).map((command) => [command, []])));
}, 300_000);
