import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openHostile, type Opened, PEOPLE } from "./hostile.js";

/*
 * Programs of the person that run outside of a sandbox, and clones that would tell them what to do: version managers read
 * the folder they are started in, and git reads the `.git/config` that an archive brought along.
 */

const ASKED = "Document the function one() of src/index.js in README.md";

/** As rustup, asdf, mise, pyenv and their like: a file of the current folder names the program that is run. */
const MANAGER = '#!/bin/sh\n[ -f ./choose.sh ] && . ./choose.sh\necho "tool 1.99.0"\n';
const MANAGED = ["rustc", "go", "python3", "javac", "claude", "claude-agent-acp", "codex", "codex-acp", "gemini"];

describe.each(PEOPLE)("as $name, a version manager on the PATH", (who) => {
  it.each([
    ["doctor", ["doctor", "--no-checks"]],
    ["init", ["init", "--dry-run", "--no-checks"]],
    ["run", ["run", ASKED]],
  ])("lets the files of a clone choose no program: %s", async (_, command) => {
    const opened = openHostile(
      {
        files: {
          "choose.sh": "touch TOLD/ran\n",
          "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\nrust-version = "1.60"\n',
          "rust-toolchain.toml": '[toolchain]\nchannel = "1.70"\npath = "evil"\n',
          "go.mod": "module x\n\ngo 1.20\n",
          "pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.8"\n',
          "pom.xml": "<project><maven.compiler.release>17</maven.compiler.release></project>",
        },
        path: ["HOME/bin"],
      },
      who,
    );
    const told = placeFor(opened);
    const script = join(opened.project, "choose.sh");
    writeFileSync(script, readFileSync(script, "utf8").replace("TOLD", told));
    const bin = join(opened.home, "bin");
    mkdirSync(bin);
    for (const name of MANAGED) writeFileSync(join(bin, name), MANAGER, { mode: 0o755 });
    // A git that asks first as well, and then does what git does.
    writeFileSync(join(bin, "git"), MANAGER.replace(/echo.*/, 'exec /usr/bin/git "$@"'), { mode: 0o755 });
    const ran = await opened.run(...command);
    expect({ ran: existsSync(join(told, "ran")), output: ran.output }).toMatchObject({ ran: false });
  });
});

/** Every setting of git that names a program, as far as the calls of the Coordinator could meet it. */
const settings = (mark: (name: string) => string) => `
[core]
	fsmonitor = "${mark("fsmonitor")}"
	sshCommand = "${mark("ssh")}"
	pager = "${mark("pager")}"
	editor = "${mark("editor")}"
	askPass = "${mark("askpass")}"
	alternateRefsCommand = "${mark("alternates")}"
	hooksPath = PROJECT/hooks
[diff]
	external = "${mark("external")}"
[diff "evil"]
	textconv = "${mark("textconv")}"
	command = "${mark("diff")}"
[filter "evil"]
	clean = "${mark("clean")}"
	smudge = "${mark("smudge")}"
	process = "${mark("process")}"
[merge "evil"]
	driver = "${mark("merge")}"
[log]
	showSignature = true
[gpg]
	program = "${mark("gpg")}"
[gpg "openpgp"]
	program = "${mark("openpgp")}"
[gpg "ssh"]
	program = "${mark("gpg-ssh")}"
[commit]
	gpgSign = true
[credential]
	helper = "${mark("credential")}"
[uploadpack]
	packObjectsHook = "${mark("pack")}"
[remote "origin"]
	url = "ext::${mark("ext")}"
	promisor = true
	uploadpack = "${mark("upload")}"
[submodule]
	recurse = true
[alias]
	status = "!${mark("alias")}"
	log = "!${mark("alias")}"
`;

const HOOKS = ["pre-commit", "post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc", "update"];

describe.each(PEOPLE)("as $name, an archive with a git folder of its own", (who) => {
  it("starts no program that its settings or hooks name", async () => {
    const opened = openHostile(
      {
        files: {
          ".gitattributes": "* filter=evil diff=evil merge=evil\n",
          ...Object.fromEntries(HOOKS.map((name) => [`hooks/${name}`, "#!/bin/sh\ntouch TOLD/hook\n"])),
        },
      },
      who,
    );
    const { project, git } = opened;
    const told = placeFor(opened);
    // Showing a signed commit asks a program whether the signature holds.
    const [tree, parent] = [git("rev-parse", "HEAD^{tree}").trim(), git("rev-parse", "HEAD").trim()];
    const signed = join(opened.folder, "tmp", "commit");
    writeFileSync(
      signed,
      `tree ${tree}\nparent ${parent}\nauthor a <a@b> 1700000000 +0000\ncommitter a <a@b> 1700000000 +0000\n` +
        "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEzBAAB\n -----END PGP SIGNATURE-----\n\nsigned\n",
    );
    git("update-ref", "refs/heads/main", git("hash-object", "-t", "commit", "-w", signed).trim());
    for (const name of HOOKS)
      for (const place of ["hooks", ".git/hooks"]) {
        writeFileSync(join(project, place, name), `#!/bin/sh\ntouch ${told}/hook-${name}\n`);
        chmodSync(join(project, place, name), 0o755);
      }
    const mark = (name: string) => {
      const program = join(opened.folder, "tmp", `program-${name}`);
      writeFileSync(program, `#!/bin/sh\ntouch ${told}/${name}\n`, { mode: 0o755 });
      return program;
    };
    const config = join(project, ".git/config");
    const named = settings(mark).replaceAll("PROJECT/", `${project}/`);
    writeFileSync(config, readFileSync(config, "utf8") + named);
    const before = readMarks(told);
    for (const command of [
      ["doctor"],
      ["facts", "collect"],
      ["init", "--dry-run"],
      ["status"],
      ["run", ASKED, "--yes"],
    ]) {
      const ran = await opened.run(...command);
      expect({ command, started: readMarks(told), output: ran.output }).toMatchObject({ started: before });
    }
    // The settings are in force: git itself, asked plainly, starts what they name.
    try {
      git("log", "-1");
    } catch {
      // A program that shows no signature is a failure to git.
    }
    expect(readMarks(told)).not.toEqual(before);
  });

  it("works on no files but its own: core.worktree is refused", async () => {
    const opened = openHostile({}, who);
    opened.git("config", "core.worktree", join(opened.home, "notes"));
    const doctor = await opened.run("doctor", "--no-checks");
    expect(doctor.output).toMatch(/x bad +repository .*core\.worktree/);
    const ran = await opened.run("run", ASKED, "--yes");
    expect({ code: ran.code, output: ran.output }).toMatchObject({
      code: 2,
      output: expect.stringMatching(/core\.worktree/),
    });
    const facts = await opened.run("facts", "collect", "--json");
    expect(facts.output).not.toContain('working_tree_clean":');
    expect(opened.harm(doctor.output + ran.output + facts.output)).toEqual([]);
  });
});

/** A folder that everybody of the test can write to, for marks. */
function placeFor({ folder }: Opened): string {
  const told = join(folder, "tmp", "told");
  mkdirSync(told);
  chmodSync(told, 0o777);
  return told;
}

function readMarks(told: string): string[] {
  return readdirSync(told).sort();
}
