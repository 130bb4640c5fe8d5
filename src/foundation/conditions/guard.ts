import { type FactType, describeType, isList, isScalar } from "./fact-schema.js";
import { Held, failure, unknownFact } from "./outcome.js";

export type Guard = (value: unknown) => unknown;

/**
 * The check between data and rules.
 *
 * Contract: gives the value back if it is of the declared type, and a Held that names the path if it is
 * missing or of another type. A Held passes through. Only the outside of a list, map or object is checked;
 * what is inside is checked when it is read. `wanted` is the fact that is being
 * looked for, where this is only a stage on the way: that one is not known if the stage is missing.
 */
export function guardOf(type: FactType, path: string, wanted: string = path): Guard {
  const unknown = unknownFact(wanted);
  const wrong = failure(path, `${path} is not a ${describeType(type)}`);
  const refuse = (value: unknown): Held => {
    if (value === undefined || value === null) return unknown;
    return value instanceof Held ? value : wrong;
  };
  if (type === "number") {
    // INVARIANT: NaN and the infinities do not get in; every comparison with NaN would be a false answer.
    return (value) => (typeof value === "number" && Number.isFinite(value) ? value : refuse(value));
  }
  if (isScalar(type)) {
    const expected = type === "bool" ? "boolean" : "string";
    return (value) => (typeof value === expected ? value : refuse(value));
  }
  if (isList(type)) {
    const { max } = type;
    const long = failure(path, `${path} has more than the declared ${max} elements`);
    return (value) => {
      if (!Array.isArray(value)) return refuse(value);
      return value.length <= max ? value : long;
    };
  }
  return (value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? value : refuse(value));
}

/** Contract: the `typeof` that needs no further check for this type, "" if there is none. */
export function trustedTypeof(type: FactType): string {
  if (type === "bool") return "boolean";
  return type === "string" ? "string" : "";
}

/**
 * Contract: an own property, or undefined. Must be used for every read of a fact: `constructor` and
 * `__proto__` are ordinary names here and must not reach the prototype.
 */
export function ownProperty(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Readonly<Record<string, unknown>>)[key] : undefined;
}
