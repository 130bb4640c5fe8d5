declare module "node:assert/strict" {
  const assert: { equal(a: unknown, b: unknown): void };
  export default assert;
}
declare module "node:test" {
  export function test(name: string, body: () => void): void;
}
