/*
 * Folders below a home in which package managers keep packages and toolchains, and nothing else. A project may name these
 * without asking; any other folder of a person's home is theirs to show.
 */

const KNOWN_CACHES: ReadonlySet<string> = new Set(
  [
    "~/.npm ~/.cache/npm ~/.local/share/pnpm/store ~/.local/share/pnpm/.tools ~/.cache/pnpm",
    "~/.cache/node/corepack ~/.cache/yarn ~/.yarn/berry ~/.yarn/berry/cache ~/.bun/install/cache",
    "~/.cache/deno ~/.cache/pip ~/.cache/uv ~/.local/share/uv/python ~/.cache/pypoetry ~/.cache/pdm",
    "~/.cache/hatch ~/.conda/pkgs ~/go/pkg/mod ~/.cache/go-build ~/.cargo/registry ~/.cargo/git",
    "~/.m2/repository ~/.m2/wrapper ~/.gradle/caches ~/.gradle/wrapper ~/.ivy2/cache ~/.sbt/boot",
    "~/.cache/coursier ~/.cache/composer ~/.gem/ruby ~/.local/share/gem ~/.nuget/packages",
    "~/.cache/ccache ~/.cache/sccache ~/.cache/zig ~/.cache/bazel ~/.hex/packages ~/.pub-cache/hosted",
  ].flatMap((line) => line.split(" ")),
);

/** Contract: pure. `folder` is written `~/…`. */
export function isKnownCache(folder: string): boolean {
  return KNOWN_CACHES.has(folder.replace(/\/+$/, ""));
}
