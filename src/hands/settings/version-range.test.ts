import { expect, it } from "vitest";
import { findRequiredToolchains } from "./required-toolchains.js";
import { isInRange } from "./version-range.js";

it.each([
  ["1.19.8", ">=1.23", false],
  ["1.23.0", ">=1.23", true],
  ["20.20.2", ">=22.12.0", false],
  ["20.20.2", "^18 || >=20.5", true],
  ["19.0.0", "^18 || >=20.5", false],
  ["20.9.0", "20.x", true],
  ["21.0.0", "20.x", false],
  ["18.4.0", "18 - 20", true],
  ["3.9.2", ">=3.10,<4", false],
  ["3.12.1", ">= 3.10, < 4", true],
  ["3.11.0", "~=3.10", true],
  ["4.0.0", "~=3.10", false],
  ["3.9.1", "!=3.9.1", false],
  ["0.3.5", "^0.3.1", true],
  ["0.4.0", "^0.3.1", false],
  ["1.2.9", "~1.2.3", true],
  ["1.3.0", "~1.2.3", false],
  ["22.0.0", "*", true],
  ["22.0.0", "lts/*", null],
])("%s in %s is %s", (version, range, holds) => {
  expect(isInRange(version, range)).toBe(holds);
});

it("a project's manifests say which toolchains it asks for", async () => {
  const files: Readonly<Record<string, string>> = {
    "go.mod": "module x\n\ngo 1.23.0\n",
    "Cargo.toml": '[package]\nrust-version = "1.74"\n',
    "pyproject.toml": '[project]\nrequires-python = ">=3.10"\n',
    "package.json": JSON.stringify({ engines: { node: ">=22" } }),
  };
  const found = await findRequiredToolchains({ read: async (name) => files[name] ?? null });
  expect(found.map(({ tool, range }) => `${tool} ${range}`)).toEqual([
    "go >=1.23.0",
    "rust >=1.74",
    "python >=3.10",
    "node >=22",
  ]);
  expect(await findRequiredToolchains({ read: async () => null })).toEqual([]);
});
