import { describe, expect, it } from "vitest";
import { type CallParts, mergeParts, toolUse } from "./tool-use.js";

const ROOT = "/ws";
const write = (path: string) => ({ path, access: "write" as const });
const use = (...pieces: CallParts[]) =>
  toolUse(
    pieces.reduce<CallParts>((known, piece) => mergeParts(known, piece), {}),
    "request",
    ROOT,
  );

describe("the paths of a tool call", () => {
  it.each<[string, CallParts[], { path: string; access: string }[]]>([
    [
      "a diff and locations, in an update (claude)",
      [
        { toolCallId: "1", title: "Preparing file…", kind: "edit", rawInput: {}, content: [], locations: [] },
        {
          toolCallId: "1",
          title: "Write a.txt",
          rawInput: { file_path: "/ws/a.txt", content: "x" },
          content: [{ type: "diff", path: "/ws/a.txt", oldText: null, newText: "x" }],
          locations: [{ path: "/ws/a.txt" }],
        },
      ],
      [write("a.txt")],
    ],
    [
      "a diff in the call and locations in the permission (codex)",
      [
        {
          toolCallId: "1",
          kind: "edit",
          title: "Editing files",
          content: [{ type: "diff", path: "/ws/a/b.txt", oldText: null, newText: "x" }],
        },
        { toolCallId: "1", kind: "edit", title: "Edit files", locations: [{ path: "/ws/a/b.txt" }] },
      ],
      [write("a/b.txt")],
    ],
    [
      "a patch in the raw arguments of the permission alone (copilot)",
      [
        {
          toolCallId: "1",
          kind: "edit",
          title: "Create file",
          rawInput: {
            diff: "\ndiff --git a/ws/a.txt b/ws/a.txt\n--- a/dev/null\n+++ /ws/a.txt\n@@ -1,0 +1,1 @@\n+x\n",
          },
        },
      ],
      [write("a.txt")],
    ],
    [
      "only in the raw arguments, of no kind (goose)",
      [
        {
          toolCallId: "1",
          title: "write · /ws/a.txt",
          rawInput: { path: "/ws/a.txt", content: "x" },
          _meta: { goose: { toolCall: { toolName: "write" } } },
        },
        { toolCallId: "1", kind: "other", title: "write", rawInput: { path: "/ws/a.txt", content: "x" } },
      ],
      [write("a.txt")],
    ],
    [
      "a patch in its own form",
      [
        {
          toolCallId: "1",
          kind: "edit",
          title: "patch",
          rawInput: { input: "*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: src/b.ts\n+x\n*** End Patch" },
        },
      ],
      [write("src/a.ts"), write("src/b.ts")],
    ],
    [
      "a map of changes",
      [{ toolCallId: "1", kind: "edit", title: "patch", rawInput: { changes: { "/ws/a": {}, "/ws/b": {} } } }],
      [write("a"), write("b")],
    ],
    [
      "outside of the workspace, as it came",
      [
        {
          toolCallId: "1",
          kind: "edit",
          title: "w",
          rawInput: { path: "../../etc/passwd" },
          locations: [{ path: "/etc/x" }],
        },
      ],
      [write("/etc/x")],
    ],
    [
      "relative, and one that leads outside only at its end",
      [{ toolCallId: "1", kind: "edit", title: "w", rawInput: { paths: ["src/../a.txt", "src/../../b.txt"] } }],
      [write("a.txt"), write("src/../../b.txt")],
    ],
    [
      "a sibling whose name begins like the workspace",
      [{ toolCallId: "1", kind: "edit", title: "w", locations: [{ path: "/ws-evil/a" }] }],
      [write("/ws-evil/a")],
    ],
    [
      "a move",
      [{ toolCallId: "1", kind: "move", title: "m", rawInput: { source: "/ws/a", destination: "/ws/b" } }],
      [{ path: "a", access: "delete" }, write("b")],
    ],
    [
      "a read",
      [{ toolCallId: "1", kind: "read", title: "r", rawInput: { path: "/ws/a" } }],
      [{ path: "a", access: "read" }],
    ],
    [
      "a command whose place is the workspace (opencode)",
      [
        {
          toolCallId: "1",
          kind: "execute",
          title: "ls",
          locations: [{ path: "/ws" }],
          rawInput: { command: "ls", cwd: "/ws" },
        },
      ],
      [],
    ],
    [
      "a command with a redirect that the agent saw (claude)",
      [
        {
          toolCallId: "1",
          kind: "execute",
          title: "echo x > b",
          locations: [{ path: "/ws/b" }],
          rawInput: { command: "echo x > b" },
        },
      ],
      [write("b")],
    ],
  ])("%s", (_, pieces, paths) => {
    expect(use(...pieces).paths).toEqual(paths);
  });
});

describe("what a tool call does", () => {
  it.each<[string, CallParts, string, string | null]>([
    ["a shell's text", { kind: "execute", title: "run", rawInput: { command: "npm test" } }, "execute", "npm test"],
    [
      "a shell's arguments",
      { kind: "execute", title: "run", rawInput: { command: ["bash", "-lc", "npm test"] } },
      "execute",
      "npm test",
    ],
    [
      "a program's arguments",
      { kind: "execute", title: "run", rawInput: { command: ["git", "commit", "-m", "a b"] } },
      "execute",
      "git commit -m 'a b'",
    ],
    ["only a title (gemini)", { kind: "execute", title: "`npm test`" }, "execute", "npm test"],
    ["no kind, a command (goose)", { kind: "other", title: "shell", rawInput: { command: "ls" } }, "execute", "ls"],
    ["no kind, reading", { kind: "other", title: "read", rawInput: { path: "/ws/a" } }, "read", null],
    [
      "no kind, a name that reads and text to write",
      { kind: "other", title: "view", rawInput: { path: "/ws/a", content: "x" } },
      "edit",
      null,
    ],
    [
      "no kind, an unknown name with a path",
      { kind: "other", title: "frobnicate", rawInput: { path: "/ws/a" } },
      "edit",
      null,
    ],
    ["no kind, deleting", { kind: "other", title: "delete_file", rawInput: { path: "/ws/a" } }, "edit", null],
    ["no kind at all", { title: "think about it" }, "other", null],
  ])("%s", (_, parts, kind, command) => {
    expect(use({ toolCallId: "1", ...parts })).toMatchObject({ kind, command });
  });

  it("names the hosts it fetches from", () => {
    const parts: CallParts = {
      toolCallId: "1",
      kind: "fetch",
      title: "Fetch",
      rawInput: { url: "https://u:p@Example.org:8443/x?y" },
    };
    expect(use(parts).hosts).toEqual(["example.org"]);
  });
});
