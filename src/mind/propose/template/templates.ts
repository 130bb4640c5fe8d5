import { CODE_TEMPLATES } from "./code-templates.js";
import { GROUND_TEMPLATES } from "./ground-templates.js";
import type { KindOfWork } from "./kind-of-work.js";
import { PAGE_TEMPLATES } from "./page-templates.js";
import type { Template } from "./template.js";

/** One template a kind of work. */
export const TEMPLATES: Readonly<Record<KindOfWork, Template>> = {
  ...CODE_TEMPLATES,
  ...PAGE_TEMPLATES,
  ...GROUND_TEMPLATES,
};
