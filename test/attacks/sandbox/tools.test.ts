import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSandbox } from "../../../src/hands/sandbox/open-sandbox.js";
import { ownFolder, prepare, STRONG } from "./coordinators.js";

/* A toolchain of somebody's home is shown by order; nothing beside it is, and nobody inside can change it. */

let place: Awaited<ReturnType<typeof prepare>>;
beforeAll(async () => {
  place = await prepare();
});
afterAll(() => place.remove());

describe.skipIf(!STRONG)("a toolchain", () => {
  it("is found by its programs' names, cannot be written, and brings nothing along", async () => {
    const home = ownFolder(null, join(place.folder, "home"));
    mkdirSync(join(home, "kit/bin"), { recursive: true });
    writeFileSync(join(home, "kit/bin/own-tool"), "#!/bin/sh\necho the tool\n", { mode: 0o755 });
    writeFileSync(join(home, "secret"), "canary");
    const workspace = ownFolder(null, join(place.folder, "tools"));
    const sandbox = await openSandbox({
      workspace,
      writable: "whole",
      tools: [join(home, "kit")],
      records: join(place.folder, "records"),
    });
    try {
      const script = `own-tool; cat ${home}/secret; ls ${home}; echo x > ${home}/kit/bin/own-tool; rm -rf ${home}/kit; touch ${home}/new`;
      const run = sandbox.spawn({ argv: ["sh", "-c", `${script} 2>/dev/null; true`] });
      run.stderr.resume();
      expect(await text(run.stdout)).toBe("the tool\nkit\n");
      expect(readdirSync(home).sort()).toEqual(["kit", "secret"]);
      expect(readdirSync(join(home, "kit/bin"))).toEqual(["own-tool"]);
    } finally {
      await sandbox.close();
    }
  });

  it("is not a home directory", async () => {
    const workspace = ownFolder(null, join(place.folder, "refused"));
    const open = (tools: string[]) => openSandbox({ workspace, writable: "whole", tools, records: place.folder });
    await expect(open([homedir()])).rejects.toThrow(/holds more than a program/);
    await expect(open(["/"])).rejects.toThrow(/holds more than a program/);
    await expect(open([join(place.folder, "gone")])).rejects.toThrow(/are not there/);
  });
});
