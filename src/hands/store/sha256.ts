import { hash } from "node:crypto";
import type { Sha256 } from "./event-store.js";

/** In one call: an event's text is short, and an object for each hash would cost more than hashing it. */
export const sha256: Sha256 = (text) => hash("sha256", text);
