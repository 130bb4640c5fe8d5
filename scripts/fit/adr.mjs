// Decision records: what `npm run fit` fits, and what `npm run eval -- --folds` scores.
export { default } from "./adr-task.mjs";
export { decider, PARTS, score } from "./adr-folds.mjs";
