import { CLOUDS } from "./clouds.js";
import { HOSTS } from "./hosts.js";
import { KEYS } from "./keys.js";
import type { SecretKind } from "./kind.js";
import { MODELS } from "./models.js";
import { SERVICES } from "./services.js";

/** Every kind that is known by its shape alone, the particular ones before the general ones. */
export const KINDS: readonly SecretKind[] = [...CLOUDS, ...HOSTS, ...SERVICES, ...MODELS, ...KEYS];
