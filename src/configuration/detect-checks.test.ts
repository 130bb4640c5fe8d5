import { describe, expect, it } from "vitest";
import { detectChecks } from "./detect-checks.js";

const found = async (files: Readonly<Record<string, string>>) =>
  (await detectChecks(async (name) => files[name] ?? null)).map(({ check }) => `${check.name}: ${check.run}`);

describe("the checks a project already has", () => {
  it("are the scripts of its package.json, run by the manager whose lockfile is there", async () => {
    const manifest = JSON.stringify({ scripts: { test: "vitest", typecheck: "tsc", lint: "eslint .", start: "x" } });
    expect(await found({ "package.json": manifest })).toEqual([
      "test: npm run test",
      "lint: npm run lint",
      "types: npm run typecheck",
    ]);
    expect(await found({ "package.json": manifest, "pnpm-lock.yaml": "" })).toContain("test: pnpm run test");
  });

  it("are not what npm init puts there, nor a manifest that cannot be read", async () => {
    const placeholder = JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } });
    expect(await found({ "package.json": placeholder })).toEqual([]);
    expect(await found({ "package.json": "{" })).toEqual([]);
  });

  it("are those of several languages, each with a name of its own", async () => {
    const files = {
      "package.json": JSON.stringify({ scripts: { test: "x" } }),
      "go.mod": "",
      "pyproject.toml": "[tool.pytest]\n[tool.ruff]",
    };
    expect(await found(files)).toEqual([
      "test: npm run test",
      "test_2: python3 -m pytest -v",
      "lint: ruff check .",
      "test_3: go test -json ./...",
      "vet: go vet ./...",
      "build: go build ./...",
    ]);
  });

  it("are targets of a Makefile when nothing better is known", async () => {
    expect(await found({ Makefile: "all: x\ntest:\n\tsh t\nlint: x\nVAR := y\n" })).toEqual([
      "test: make test",
      "lint: make lint",
    ]);
    expect(await found({})).toEqual([]);
  });
});
