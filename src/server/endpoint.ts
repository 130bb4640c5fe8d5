import type { IncomingMessage, ServerResponse } from "node:http";
import type { ZodObject, ZodType } from "zod";
import type { output } from "zod";
import type { Principal } from "../app/serve/sessions.js";
import type { Role } from "../app/serve/access-tokens.js";
import type { OpenPlace, ServerContext } from "./context.js";
import type { Throttle } from "./guard.js";

/* An operation of the API as data: the routes, the checks of its input and the OpenAPI document are all made from it. */

/** The project that `{project}` of a path names, open; null for an operation that is about no single project. */
type PlaceOf<P> = P extends { readonly project: string } ? OpenPlace : null;

interface Given<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Contract: who sends the request; a made-up reader where an operation is open to all. */
  readonly principal: Principal;
  readonly place: PlaceOf<P>;
  readonly server: ServerContext;
  readonly throttle: Throttle;
  /** Whether the sender may still be answered: asked again while an answer lasts, as a stream of events does. */
  readonly mayStill: () => boolean;
  readonly request: Request;
  readonly node: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };
}

export interface Endpoint {
  readonly method: "get" | "post" | "delete";
  /** With `{name}` for what is asked for in `params`. */
  readonly path: `/${string}`;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** Who may use it; null where nobody has to log in. */
  readonly role: Role | null;
  /** The command it stands for: the contract of the project has to allow it, as at the command line. Null where it only looks. */
  readonly command: string | null;
  readonly params: ZodObject | null;
  readonly query: ZodObject | null;
  readonly body: ZodType | null;
  /** Its answer: JSON of this schema, a stream of events, or bytes of this type. */
  readonly answer: ZodType | { readonly stream: ZodType } | { readonly bytes: string };
  readonly status: 200 | 201 | 202;
  /** A value becomes JSON. Null: it has answered by itself. */
  readonly handle: (given: Given<never, never, never>) => Promise<unknown>;
}

type Parsed<T extends ZodType | null> = T extends ZodType ? output<T> : null;

interface Declared<P extends ZodObject | null, Q extends ZodObject | null, B extends ZodType | null> {
  readonly method: Endpoint["method"];
  readonly path: Endpoint["path"];
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly role: Role | null;
  readonly command?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly answer: Endpoint["answer"];
  readonly status?: Endpoint["status"];
  readonly handle: (given: Given<Parsed<P>, Parsed<Q>, Parsed<B>>) => Promise<unknown>;
}

/** Declare an operation with the types of its input. */
export function endpoint<
  P extends ZodObject | null = null,
  Q extends ZodObject | null = null,
  B extends ZodType | null = null,
>({ params, query, body, status = 200, command, handle, ...rest }: Declared<P, Q, B>): Endpoint {
  return {
    ...rest,
    status,
    command: command ?? null,
    params: params ?? null,
    query: query ?? null,
    body: body ?? null,
    handle,
  };
}
