import type { ASTNode } from "@marcbachmann/cel-js";
import type { FactSchema, FactType } from "./fact-schema.js";

export type Scope = Readonly<Record<string, unknown>>;

/**
 * One compiled expression.
 *
 * Contract: gives a value of the static type of its expression, or Held; it never throws and never gives
 * undefined, null or NaN. So the type decides how to recognise Held without `instanceof`: where a scalar is
 * due, Held is the only object.
 */
export type Run = (scope: Scope) => unknown;

export type Lowered = {
  readonly type: FactType;
  readonly run: Run;
  /** Upper bound for the number of steps of one evaluation. */
  readonly cost: number;
  /** The fact behind the value, "" if it is computed; what a Held names. */
  readonly path: string;
  /** The value, where it is known at compile time: shapes with literals are specialised. */
  readonly literal?: string | number | boolean;
  /** The values of a list whose elements are all literals. */
  readonly literals?: readonly unknown[];
};

/** The variable of a loop. The cell is filled by the loop and read by its body. */
export type Local = { readonly cell: { value: unknown }; readonly type: FactType; readonly path: string };

/** State that the lowering of one condition shares. */
export type Lowering = {
  readonly schema: FactSchema;
  readonly locals: Map<string, Local>;
  readonly reads: Set<string>;
  readonly lower: (node: ASTNode) => Lowered;
};

/** A value that is not a fact has no elements that are. */
export const elementPath = (path: string): string => (path === "" ? "" : `${path}[]`);
