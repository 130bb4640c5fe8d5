import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as entry from "../../src/index.js";
import { ERROR_CODES } from "../../src/model/errors.js";
import { PLAN_STATES } from "../../src/model/tape.js";
import { VERSION } from "../../src/version.js";
import { ensureBuilt } from "../build.js";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as Record<
  string,
  unknown
>;

/* What users build on. A change here is a change for them: it belongs in CHANGELOG.md. */
describe("pins", () => {
  it("the version is the package's", () => {
    expect(VERSION).toBe(manifest["version"]);
  });

  it("the package holds the program and what it reads, and nothing that only tests use", () => {
    ensureBuilt();
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 2 ** 24,
    });
    const [{ files }] = JSON.parse(packed) as [{ files: readonly { readonly path: string }[] }];
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(["dist/cli/main.js", "dist/index.d.ts", "policy/intake.yaml"]));
    expect(paths.filter((path) => /^(?:src|test|scripts|bench|dist\/testing)\/|\.test\./.test(path))).toEqual([]);
  });

  it("the exports map is closed", () => {
    expect(Object.keys(manifest["exports"] as object)).toEqual([".", "./schemas/*.json", "./package.json"]);
  });

  it("what the package exports", () => {
    expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
      [
        "AdrStatus",
        "AdrTask",
        "AnswerPack",
        "ContextDocument",
        "CoordinatorError",
        "CoordinatorResponse",
        "CoordinatorReview",
        "ExecutionPolicy",
        "FactPack",
        "FileConflict",
        "IntakeDecision",
        "IntakePolicy",
        "LevelContext",
        "LoggedEvent",
        "MemoryPack",
        "ProjectState",
        "QuestionPack",
        "RepositoryFacts",
        "RoutingDecision",
        "RoutingInput",
        "RoutingPolicy",
        "RunEvent",
        "UserRequest",
        "breakDown",
        "buildContextPrompt",
        "builtInRegistryDirectory",
        "carryOut",
        "compileRoutingPolicy",
        "compose",
        "createCoordinator",
        "createMemoryStore",
        "createSpecify",
        "describeEvent",
        "detectConflicts",
        "effectsOf",
        "explainIntake",
        "explainRoute",
        "extractLevelContext",
        "fileAnchor",
        "findRoot",
        "findRun",
        "fold",
        "foldRun",
        "gate",
        "gitAnchor",
        "inquire",
        "intake",
        "judgeProposal",
        "judgeSpec",
        "loadRegistry",
        "loadSigningKey",
        "newSignalId",
        "openEntries",
        "openRuns",
        "openSqliteReader",
        "openSqliteStore",
        "overviewOf",
        "parseAdr",
        "parseRunEvent",
        "parseSignal",
        "planRefOf",
        "processRequest",
        "projectState",
        "proposingPlanner",
        "proveEvent",
        "readLearnedModel",
        "readRuns",
        "redact",
        "refusal",
        "refuteProof",
        "route",
        "routeWithPolicy",
        "sendSignal",
        "serveSignals",
        "startRun",
        "stateFolder",
        "step",
        "toResponse",
        "verifyLog",
        "verifyRun",
        "withAnswers",
        "withFallback",
      ]
    `);
  });

  it("the error codes", () => {
    expect(ERROR_CODES).toMatchInlineSnapshot(`
      [
        "FILE_NOT_FOUND",
        "FILE_UNREADABLE",
        "FILE_WRITE_FAILED",
        "LINK_REFUSED",
        "DOCUMENT_INVALID",
        "REGISTRY_INVALID",
        "PLAN_NOT_FOUND",
        "PLAN_WRITE_FAILED",
        "PLAN_CHANGED",
        "BRIEF_CHANGED",
        "NOT_FOUND",
        "REF_MOVED",
        "STORE_FAILED",
        "STORE_LOCKED",
        "STORE_TOO_NEW",
        "STORE_CORRUPT",
        "STORE_ADDRESS",
        "STORE_UNREACHABLE",
        "STORE_REFUSED",
        "STORE_SERVER_OLD",
        "STORE_CLOCK",
        "ENGINE_SETTING",
        "REMOTE_REFUSED",
        "REMOTE_UNREACHABLE",
        "WORKER_VERSION",
        "SHIM_FAILED",
        "WORKSPACE_FAILED",
        "REPOSITORY_UNSUITABLE",
        "SANDBOX_MISSING",
        "CONTRACT_FORBIDS",
        "CONTRACT_APPROVAL",
        "CONTRACT_LIMIT",
        "NOT_TRUSTED",
        "MODEL_NOT_CONFIGURED",
        "PORT_TAKEN",
        "LISTEN_FAILED",
        "SERVER_RUNNING",
        "SERVER_UNREACHABLE",
        "ADDRESS_REFUSED",
        "CERTIFICATE_UNREADABLE",
        "CODE_HOST_UNKNOWN",
        "CODE_HOST_LOGIN_MISSING",
        "CODE_HOST_REFUSED",
        "CODE_HOST_UNAVAILABLE",
        "BRANCH_INVALID",
        "PUBLISH_REFUSED",
        "PULL_CLOSED",
        "USAGE",
      ]
    `);
  });

  it("the thirteen states of planning [S4-009]", () => {
    expect(PLAN_STATES).toMatchInlineSnapshot(`
      [
        "RECEIVED",
        "PRECHECKED",
        "CONTEXT_BUILT",
        "RULES_EVALUATED",
        "GRAPH_DRAFTED",
        "QUESTIONS_EMITTED",
        "AWAITING_ANSWERS",
        "GRAPH_FINALIZED",
        "REVIEW_PACK_BUILT",
        "FROZEN_OUTPUTS",
        "DONE",
        "BLOCKED",
        "ABORTED",
      ]
    `);
  });
});
