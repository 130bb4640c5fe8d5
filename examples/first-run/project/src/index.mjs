export { total } from "./total.mjs";
