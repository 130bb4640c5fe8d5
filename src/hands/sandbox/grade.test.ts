import { describe, expect, it } from "vitest";
import { type LinuxTrial, onLinux } from "./grade.js";

const tools = { bwrap: "b", prlimit: "p", timeout: "t", setpriv: "s", unshare: "u" };
const works: LinuxTrial = {
  missing: [],
  tools,
  filter: true,
  root: false,
  whole: null,
  withoutDisableUserns: null,
  asRoot: null,
  appArmor: false,
  installer: "apt",
};
const DENIED = "bwrap: setting up uid map: Permission denied";
const denied: LinuxTrial = { ...works, whole: DENIED, withoutDisableUserns: DENIED, asRoot: DENIED };

describe("the grade of a Linux machine", () => {
  it("is strong when all of it worked", () => {
    expect(onLinux(works)).toMatchObject({ grade: "strong", reasons: [], fix: [] });
  });

  it.each([
    ["apt", "sudo apt-get install -y bubblewrap"],
    ["dnf", "sudo dnf install -y bubblewrap"],
    ["pacman", "sudo pacman -S --needed bubblewrap"],
    [null, "Install with the package manager of this system: bubblewrap"],
  ] as const)("is none without bubblewrap, and %s can mend it", (installer, fix) => {
    const seen = onLinux({ ...works, tools: null, missing: ["bwrap"], installer });
    expect(seen).toMatchObject({ grade: "none", reasons: ["bwrap is not installed"], fix: [fix], bubblewrap: null });
  });

  it("is none where namespaces are forbidden, and says what bubblewrap said", () => {
    const { grade, reasons, fix } = onLinux(denied);
    expect(grade).toBe("none");
    expect(reasons.join()).toContain(DENIED);
    expect(fix.join()).toContain("user.max_user_namespaces");
  });

  it("names AppArmor where it is the reason", () => {
    expect(onLinux({ ...denied, appArmor: true }).fix.join()).toContain("apparmor_restrict_unprivileged_userns=0");
  });

  it.each([
    ["no filter for this machine", { ...works, filter: false }, { seccomp: false }],
    ["an old bubblewrap", { ...denied, withoutDisableUserns: null }, { disableUserns: false }],
    ["namespaces for root alone", { ...denied, root: true, asRoot: null }, { ownUser: false }],
  ])("is reduced with %s", (_, trial, features) => {
    const seen = onLinux(trial);
    expect(seen.grade).toBe("reduced");
    expect(seen.reasons).toHaveLength(1);
    expect(seen.bubblewrap?.features).toMatchObject(features);
  });
});
