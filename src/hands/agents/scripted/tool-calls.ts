import type { ToolCall, ToolCallContent, ToolCallUpdate, ToolKind } from "@agentclientprotocol/sdk";
import { isAbsolute, join } from "node:path";
import type { Profile } from "./profiles.js";
import type { Step } from "./script.js";

/** An action of a step, in the form in which agents report it. */
export interface ToolAction {
  readonly kind: ToolKind;
  readonly title: string;
  /** Absolute. */
  readonly path: string | null;
  readonly to: string | null;
  readonly newText: string | null;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** The action of a step, or null for one that only talks. */
export function actionOf(step: Step, cwd: string): ToolAction | null {
  const at = (path: string) => (isAbsolute(path) ? path : join(cwd, path));
  const none = { path: null, to: null, newText: null };
  if ("read" in step)
    return { ...none, kind: "read", title: `Read ${step.read}`, path: at(step.read), raw: { path: at(step.read) } };
  if ("write" in step)
    return {
      ...none,
      kind: "edit",
      title: `Write ${step.write}`,
      path: at(step.write),
      newText: step.text,
      raw: { path: at(step.write), content: step.text },
    };
  if ("edit" in step)
    return {
      ...none,
      kind: "edit",
      title: `Edit ${step.edit}`,
      path: at(step.edit),
      newText: step.with,
      raw: { path: at(step.edit), old_str: step.replace, new_str: step.with },
    };
  if ("delete" in step)
    return {
      ...none,
      kind: "delete",
      title: `delete ${step.delete}`,
      path: at(step.delete),
      raw: { path: at(step.delete) },
    };
  if ("move" in step)
    return {
      ...none,
      kind: "move",
      title: `Move ${step.move}`,
      path: at(step.move),
      to: at(step.to),
      raw: { source: at(step.move), destination: at(step.to) },
    };
  if ("run" in step) return { ...none, kind: "execute", title: step.run, raw: { command: step.run } };
  if ("fetch" in step) return { ...none, kind: "fetch", title: `Fetch ${step.fetch}`, raw: { url: step.fetch } };
  return null;
}

type Place = "diff" | "locations" | "raw" | "patch";

/** A action as a profile shows it: each agent puts the path somewhere else. */
export function renderAction(
  action: ToolAction,
  id: string,
  places: readonly Place[],
  profile: Profile,
): ToolCall & ToolCallUpdate {
  const { path, newText } = action;
  const content: ToolCallContent[] =
    places.includes("diff") && path !== null && newText !== null
      ? [{ type: "diff", path, oldText: null, newText }]
      : [];
  // Commands are reported as text everywhere; only the field of a file's path differs.
  const raw = places.includes("raw") || path === null ? action.raw : undefined;
  const patch =
    places.includes("patch") && path !== null ? { diff: `--- a/dev/null\n+++ b${path}\n@@\n+x\n` } : undefined;
  return {
    toolCallId: id,
    title: profile.kind_other ? `${nameOf(action)} · ${path ?? action.title}` : action.title,
    ...(profile.kind_other ? { kind: "other" as const } : { kind: action.kind }),
    ...(content.length > 0 ? { content } : {}),
    ...(places.includes("locations") && path !== null ? { locations: [{ path }] } : {}),
    ...(raw === undefined && patch === undefined ? {} : { rawInput: path !== null && patch ? patch : raw }),
  };
}

const nameOf = ({ kind }: ToolAction) => ({ edit: "write", execute: "shell" })[kind as string] ?? kind;
