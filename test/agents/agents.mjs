// The real agents, as they are installed in this folder. One that is absent is skipped, and said to be.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
const node = process.execPath;

const AGENTS = [
  { name: "goose", needs: "@aaif/goose-binary-linux-x64", program: "@aaif/goose-binary-linux-x64/bin/goose" },
  { name: "codex", needs: "@agentclientprotocol/codex-acp", script: ".bin/codex-acp" },
  { name: "claude", needs: "@agentclientprotocol/claude-agent-acp", script: ".bin/claude-agent-acp" },
  { name: "gemini", needs: "@google/gemini-cli", script: ".bin/gemini" },
  { name: "opencode", needs: "opencode-ai", program: "opencode-linux-x64/bin/opencode" },
  { name: "copilot", needs: "@github/copilot", program: "@github/copilot-linux-x64/copilot" },
];

/** Each agent with the command that starts it, or with the package that is missing. */
export function installedAgents(presets, wanted) {
  return AGENTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name)).map(
    ({ name, needs, program, script }) => {
      const file = at(program ?? script);
      if (!existsSync(file)) return { name, missing: needs };
      const [, ...args] = presets[name].command;
      return { name, command: [...(script === undefined ? [file] : [node, file]), ...args] };
    },
  );
}
