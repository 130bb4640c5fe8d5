export * from "./length.js";
