import { type Coordinator, createCoordinator, type Parts } from "./plan/planning.js";
import { defaultParts } from "./default-parts.js";

/** The Coordinator as it runs on a person's machine. Its hands are named in `default-parts.ts` and nowhere else. */
export function compose(overrides: Partial<Parts> = {}): Coordinator {
  return createCoordinator({ ...defaultParts(), ...overrides });
}
