// A preload that takes the world away: no Node.js module can be imported, and no clock, chance, timer, process or
// network is left. What runs after it can only compute.
import * as modules from "node:module";

if (typeof modules.registerHooks === "function") {
  modules.registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith("node:")) throw new Error(`the mind tried to import ${specifier}`);
      return next(specifier, context);
    },
  });
} else {
  modules.register(
    `data:text/javascript,${encodeURIComponent(
      `export async function resolve(specifier, context, next) {
         if (specifier.startsWith("node:")) throw new Error("the mind tried to import " + specifier);
         return next(specifier, context);
       }`,
    )}`,
  );
}

const gone = (name) => () => {
  throw new Error(`the mind used ${name}`);
};
const write = process.stdout.write.bind(process.stdout);
globalThis.report = (text) => write(text);
// The class itself stays nameable (libraries register it as a type); telling the time by it does not.
const clock = { now: gone("Date.now"), parse: gone("Date.parse"), UTC: gone("Date.UTC") };
globalThis.Date = new Proxy(Date, {
  construct: gone("new Date"),
  apply: gone("Date"),
  get: (target, key) => (Object.hasOwn(clock, key) ? clock[key] : Reflect.get(target, key)),
});
Math.random = gone("Math.random");
for (const name of ["setTimeout", "setInterval", "setImmediate", "fetch", "WebSocket", "crypto", "performance"])
  Object.defineProperty(globalThis, name, { configurable: true, get: gone(name) });
Object.defineProperty(globalThis, "process", { configurable: true, get: gone("process") });
