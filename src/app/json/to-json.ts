import type { Report } from "../report.js";
import type { IntentSealed, PlanMade } from "../plan-reports.js";
import { adrJson } from "../adr/adr-json.js";
import { runJson } from "./runs.js";

/** A report as one JSON document. Fields are only ever added; readers pass over those they do not know. */
export function toJson(report: Report): unknown {
  switch (report.type) {
    case "plan":
      return planJson(report);
    case "verification": {
      const { passed, checks, manifest, difference } = report.verification;
      return { type: report.type, passed, folder: report.folder, checks, difference, manifest };
    }
    case "explanation":
      return { type: report.type, ...report.explanation };
    case "explainable":
      return report;
    case "intent_check":
      return {
        type: report.type,
        passed: report.problems.length === 0,
        file: report.file,
        intent_id: report.intentId,
        schema_version: report.schemaVersion,
        checks: report.checks,
        problems: report.problems,
        recovery: report.recovery,
      };
    case "intent_seal":
      return sealJson(report);
    case "registry_check":
      return {
        type: report.type,
        passed: report.problems.length === 0,
        directories: report.directories,
        counts: report.counts,
        problems: report.problems,
      };
    case "registry_list":
    case "registry_entry":
      return { type: report.type, entries: report.entries.map(({ entry, place }) => ({ ...entry, place })) };
    case "registry_draft":
      return { type: report.type, files: report.files };
    case "facts":
      return {
        type: report.type,
        written_to: report.writtenTo,
        kept: report.kept,
        unknown: report.unknown,
        pack: report.pack,
      };
    case "memory":
      return { type: report.type, written_to: report.writtenTo, learned: report.learned, pack: report.pack };
    case "intake": {
      const { type, decision, response, policyId, problems, screen, recorded } = report;
      return {
        type,
        policy_id: policyId,
        ...decision,
        response,
        problems,
        ...(screen === null ? {} : { screen }),
        ...(recorded === undefined ? {} : { run_id: recorded }),
      };
    }
    case "route": {
      const { type, decision, policyId, contextFile, problems, screen } = report;
      return {
        type,
        policy_id: policyId,
        context_file: contextFile,
        ...decision,
        problems,
        ...(screen === null ? {} : { screen }),
      };
    }
    // One document for each record; a single one is a single document.
    case "adr_check":
      return report.records.map(adrJson);
    case "adr_list":
      return { type: report.type, folders: report.folders, records: report.records.map(adrJson) };
    case "adr_watch": {
      const { type, picked, changed, before } = report;
      const runs = picked.map(({ runId, exitCode, ...one }) => ({ ...one, run_id: runId, exit_code: exitCode }));
      return { type, picked: runs, changed, accepted_before: before };
    }
    case "batch":
    case "doctor":
    case "init":
    case "completion":
    case "served":
    case "mcp_served":
    case "mcp_registered":
    case "projects":
    case "tokens":
    case "token_added":
    case "token_revoked":
    case "login":
    case "published":
    case "issue":
    case "synced":
    case "migrated":
    case "workers":
    case "worker_stopped":
      return report;
    case "trust": {
      const { type, root, hash, reaches, gone, agreedAt, file, done } = report;
      const lines = reaches.map(({ id, kind, name, where, says, status }) => ({ id, kind, name, where, says, status }));
      return { type, root, hash, done, reaches: lines, no_longer: gone, agreed_at: agreedAt, file };
    }
    case "clean": {
      const { type, repository, entries, cleaned } = report;
      return {
        type,
        repository,
        dry_run: cleaned === null,
        entries,
        removed: cleaned?.removed ?? [],
        kept: cleaned?.kept ?? [],
      };
    }
    case "error": {
      const { type, code, message, fix, problems } = report;
      return { type, code, message, fix: fix ?? null, problems };
    }
    default:
      return runJson(report);
  }
}

function planJson({ outcome, bundle, problems, writtenTo, stages, next, told, runId: waiting }: PlanMade): unknown {
  const { state, intentId, runId, graph, questions, review, tape } = outcome;
  const audit = bundle?.files.get("audit.jsonl")?.trim().split("\n");
  return {
    type: "plan",
    state,
    intent_id: intentId,
    coordinator_run_id: runId,
    plan_id: bundle?.manifest.plan_id ?? null,
    plan_checksum: bundle?.manifest.plan_checksum ?? null,
    written_to: writtenTo,
    next,
    problems,
    failure: tape.failure_info ?? null,
    graph,
    questions: questions.at(-1) ?? null,
    review,
    tape,
    audit: audit?.map((line): unknown => JSON.parse(line)) ?? [],
    ...(stages.length === 0 ? {} : { stages }),
    ...(told === undefined ? {} : { told }),
    ...(waiting === undefined ? {} : { run_id: waiting }),
  };
}

function sealJson({ type, intent, lock, writtenTo, lockWrittenTo }: IntentSealed): unknown {
  return { type, intent, lock, written_to: writtenTo, lock_written_to: lockWrittenTo };
}
