import type { z, ZodObject } from "zod";
import type { Answerer } from "../app/decide/answerer.js";
import type { CommandContext } from "../app/command-context.js";

/* A tool as data: its registration, the check of its input and the test that no tool approves anything are made from it. */

/** Somebody's answer in a form of the client; why there is none otherwise. */
export type FormAnswer =
  | { readonly status: "answered"; readonly text: string }
  /** The client has no forms, or the form was declined or cancelled: the question still waits. */
  | { readonly status: "unavailable" | "declined" };

/** The context a tool works with beside its arguments. */
export interface ToolCall {
  readonly context: CommandContext;
  /** The name that the client gives itself. It is written into logs, and nothing is decided by it. */
  readonly client: string;
  /** Aborted when the client does not want the result any more. */
  readonly signal: AbortSignal;
  /** Tell the client how far it is, where it wants to know. */
  readonly progress: (message: string, done?: number, total?: number) => void;
  /** The client's answer to a form with this question; a form that is still to be shown is thrown as `FormNeeded`. */
  readonly form: (key: string, message: string) => FormAnswer;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The command it stands for: the contract of the project has to allow it. */
  readonly command: string;
  readonly input: ZodObject;
  readonly output: ZodObject;
  readonly annotations: ToolHints;
  readonly handle: (input: never, call: ToolCall) => Promise<object>;
}

interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/** It changes the state of the project. Agents that work on a run reach what their scopes allow. */
export const WRITES: ToolHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

interface DeclaredTool<I extends ZodObject, O extends ZodObject> extends Omit<Tool, "input" | "output" | "handle"> {
  readonly input: I;
  readonly output: O;
  readonly handle: (input: z.output<I>, call: ToolCall) => Promise<z.input<O>>;
}

/** Declare a tool with the types of its input and output. */
export function tool<I extends ZodObject, O extends ZodObject>(declared: DeclaredTool<I, O>): Tool {
  return declared;
}

/** Who has to decide an entry, in words for an agent. */
export function describeAnswerer(answerer: Answerer): string {
  switch (answerer) {
    case "agent":
      return "You may answer it with the tool answer.";
    case "form":
      return "Call answer without a text: the person is asked in a form, where the client has forms.";
    case "person":
      return "A person decides it, by a command or in the dashboard. No tool does.";
  }
}
