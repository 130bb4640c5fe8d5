import type { ProjectFiles } from "../detected-check.js";
import { joinBelow, type SetupPart } from "./part.js";

/* Packages of Go, Rust, Java, PHP and Ruby. Most of them need no step of their own, but their caches. */

const NOTHING = { keeps: [], mounts: [], installed: null, unlocked: false } as const;

export async function goPart(folder: string, { read }: ProjectFiles): Promise<SetupPart | null> {
  const text = await read("go.mod");
  if (text === null || !/^\s*(?:require\s+\S|[\w.-]+\.[\w-]+\/\S+ v\d)/m.test(text)) return null;
  return {
    ...NOTHING,
    folder,
    program: "go",
    // Says now, and not in the middle of a check, that a module is missing.
    run: "GOFLAGS=-mod=readonly GOPROXY=off go list -deps -test ./... > /dev/null",
    inputs: [joinBelow(folder, "go.mod"), joinBelow(folder, "go.sum")],
    caches: ["~/go/pkg/mod", "~/.cache/go-build"],
    because: joinBelow(folder, "go.mod"),
    install: "go mod download",
    makes: "the modules of go.mod in ~/go/pkg/mod",
    tried: true,
  };
}

export async function cargoPart(folder: string, { read }: ProjectFiles): Promise<SetupPart | null> {
  const text = await read("Cargo.toml");
  if (text === null || !/^\[(?:.*\.)?(?:dev-|build-)?dependencies[.\]]/m.test(text)) return null;
  const locked = (await read("Cargo.lock")) !== null;
  return {
    ...NOTHING,
    folder,
    program: "cargo",
    run: locked ? "cargo fetch --offline --locked" : "cargo fetch --offline",
    inputs: [joinBelow(folder, "Cargo.toml"), joinBelow(folder, "Cargo.lock")],
    keeps: locked ? [] : [joinBelow(folder, "Cargo.lock")],
    caches: ["~/.cargo/registry", "~/.cargo/git"],
    because: joinBelow(folder, "Cargo.toml"),
    install: locked ? "cargo fetch --locked" : "cargo fetch",
    makes: "the crates in ~/.cargo/registry",
    unlocked: !locked,
    tried: true,
  };
}

export async function mavenPart(folder: string, { read }: ProjectFiles): Promise<SetupPart | null> {
  if ((await read("pom.xml")) === null) return null;
  const mvn = (await read("mvnw")) === null ? "mvn" : "./mvnw";
  return {
    ...NOTHING,
    folder,
    program: mvn === "mvn" ? "mvn" : "java",
    run: `${mvn} --offline --quiet validate`,
    inputs: [joinBelow(folder, "pom.xml")],
    caches: ["~/.m2/repository"],
    mounts: ["~/.m2/wrapper"],
    because: joinBelow(folder, "pom.xml"),
    install: `${mvn} --quiet dependency:go-offline test-compile`,
    makes: "the artifacts in ~/.m2/repository",
    tried: true,
  };
}

export async function gradlePart(folder: string, { read }: ProjectFiles): Promise<SetupPart | null> {
  const builds = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];
  let found: string | null = null;
  for (const build of builds) if (found === null && (await read(build)) !== null) found = build;
  if (found === null) return null;
  const gradle = (await read("gradlew")) === null ? "gradle" : "./gradlew";
  return {
    ...NOTHING,
    folder,
    program: gradle === "gradle" ? "gradle" : "java",
    run: `${gradle} --offline --no-daemon --quiet help`,
    inputs: [...builds, "gradle.lockfile", "gradle/libs.versions.toml"].map((path) => joinBelow(folder, path)),
    keeps: [joinBelow(folder, ".gradle")],
    caches: ["~/.gradle/caches"],
    mounts: ["~/.gradle/wrapper"],
    because: joinBelow(folder, found),
    install: `${gradle} --no-daemon testClasses`,
    makes: "the artifacts in ~/.gradle/caches",
    tried: false,
  };
}

export async function composerPart(folder: string, { read }: ProjectFiles): Promise<SetupPart | null> {
  if ((await read("composer.lock")) === null) return null;
  return {
    ...NOTHING,
    folder,
    program: "composer",
    run: "COMPOSER_DISABLE_NETWORK=1 composer install --no-interaction --no-progress",
    inputs: [joinBelow(folder, "composer.json"), joinBelow(folder, "composer.lock")],
    keeps: [joinBelow(folder, "vendor")],
    caches: ["~/.cache/composer"],
    because: joinBelow(folder, "composer.lock"),
    install: "composer install --no-interaction --no-scripts --no-plugins",
    makes: "the packages of the lockfile in ~/.cache/composer",
    installed: "vendor",
    tried: false,
  };
}

export async function bundlerPart(folder: string, { read }: ProjectFiles): Promise<SetupPart | null> {
  if ((await read("Gemfile.lock")) === null) return null;
  return {
    ...NOTHING,
    folder,
    program: "bundle",
    run: "bundle install --local --quiet",
    inputs: [joinBelow(folder, "Gemfile"), joinBelow(folder, "Gemfile.lock")],
    keeps: [joinBelow(folder, ".bundle")],
    caches: [],
    mounts: ["~/.gem/ruby", "~/.local/share/gem"],
    because: joinBelow(folder, "Gemfile.lock"),
    install: "bundle install",
    makes: "the gems of the lockfile",
    tried: false,
  };
}
