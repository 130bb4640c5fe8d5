/**
 * The types of the facts that a condition may read.
 *
 * Contract: `max` is the largest number of elements a list or map may hold. It is the basis of the static
 * cost bound, so a fact with more elements than declared holds the condition instead of being walked.
 */
export type FactType =
  | "bool"
  | "number"
  | "string"
  | { readonly list: FactType; readonly max: number }
  | { readonly map: FactType; readonly max: number }
  | { readonly object: Readonly<Record<string, FactType>> };

/** The variables a condition may name at the top level. */
export type FactSchema = Readonly<Record<string, FactType>>;

type ListType = Extract<FactType, { readonly list: FactType }>;
type MapType = Extract<FactType, { readonly map: FactType }>;
type ObjectType = Extract<FactType, { readonly object: unknown }>;
type ScalarType = Extract<FactType, string>;

export const isScalar = (type: FactType): type is ScalarType => typeof type === "string";
export const isList = (type: FactType): type is ListType => typeof type === "object" && "list" in type;
export const isMap = (type: FactType): type is MapType => typeof type === "object" && "map" in type;
export const isObject = (type: FactType): type is ObjectType => typeof type === "object" && "object" in type;

/** The type in the words of a rule author, for messages. */
export function describeType(type: FactType): string {
  if (isScalar(type)) return type;
  if (isList(type)) return `list of ${describeType(type.list)}`;
  return isMap(type) ? `map of ${describeType(type.map)}` : "object";
}

/** The type of `[]`: nothing is ever read from it, so its element type does not matter. */
export const EMPTY_LIST: ListType = { list: "bool", max: 0 };

/** Contract: the type that covers both, for two types that the type check found compatible. */
export function unify(a: FactType, b: FactType): FactType {
  if (!isList(a) || !isList(b)) return a;
  if (a.max === 0) return b;
  if (b.max === 0) return a;
  return { list: unify(a.list, b.list), max: Math.max(a.max, b.max) };
}
