import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { workspacesRoot } from "./workspaces-root.js";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "coordinator-places-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const checkout = join(folder, "shop");
mkdirSync(join(checkout, ".git"), { recursive: true });
symlinkSync(checkout, join(folder, "link"));
const place = { checkout, userGitDir: join(checkout, ".git"), directory: join(folder, "state", "shop-1234") };
const at = (named: string | undefined) => workspacesRoot(place, named, { HOME: folder });

it("is beside the quarantine, or where a person named it, apart from other repositories", async () => {
  expect(await at(undefined)).toBe(join(folder, "state", "shop-1234", "workspaces"));
  expect(await at("~/not/there/yet")).toBe(join(folder, "not/there/yet/shop-1234"));
  expect(await at(join(folder, "shops"))).toBe(join(folder, "shops", "shop-1234"));
});

it.each(["shop", "shop/deep/below", "shop/.git/x", "link", "link/x", "shops/../shop/x"])(
  "refuses %s: it is inside of the repository",
  async (named) => {
    await expect(at(`~/${named}`)).rejects.toMatchObject({ code: "USAGE" });
  },
);
