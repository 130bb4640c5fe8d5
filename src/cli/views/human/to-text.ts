import type { Failure, Report } from "../../../app/report.js";
import type { RegistryChecked, RegistryDrafted } from "../../../app/registry-reports.js";
import type { IntentChecked, IntentSealed, PlanVerified } from "../../../app/plan-reports.js";
import { adrCheckText, adrListText, adrWatchText } from "./adr.js";
import { cleanText } from "./clean.js";
import { migratedText } from "./migrated.js";
import { doctorText } from "./doctor.js";
import { explainableText, explanationText } from "./explanation.js";
import { initText } from "./init.js";
import { intakeText } from "./intake.js";
import { factsText, memoryText } from "./packs.js";
import { planText } from "./plan/plan.js";
import { problemLines } from "./problems.js";
import { routeText } from "./route.js";
import { serveText } from "./serve.js";
import { trustText } from "./trust.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, removeUnseen, type Paint, paintFor, type Screen, type ScreenSize } from "./screen.js";

/** A report as text for people, ending in a line break. */
export async function toText(report: Report, screen: Screen): Promise<string> {
  // A document that was asked for is data: it goes out as it is.
  if (report.type === "intent_seal" && report.writtenTo === null) return report.text;
  const text = removeUnseen((await lines(report, paintFor(screen), screen.size ?? null)).join("\n"), screen);
  return `${text.replaceAll(/[ \t]+$/gm, "").trimEnd()}\n`;
}

async function lines(report: Report, paint: Paint, size: ScreenSize | null): Promise<string[]> {
  switch (report.type) {
    case "plan":
      return planText(report, paint, size);
    case "verification":
      return verificationText(report, paint);
    case "explanation":
      return explanationText(report.explanation, paint);
    case "explainable":
      return explainableText(report, paint);
    case "intent_check":
      return intentCheckText(report, paint);
    case "intent_seal":
      return sealText(report);
    case "registry_check":
      return registryCheckText(report, paint);
    case "registry_list":
      return report.entries.map(({ entry }) =>
        [
          entry.kind.padEnd(8),
          entry.id.padEnd(36),
          entry.version.padEnd(8),
          entry.status.padEnd(10),
          oneLine(entry.title),
        ].join(" "),
      );
    case "registry_entry":
      return report.entries.flatMap(({ place, yaml }) => [paint.dim(`# ${place}`), yaml]);
    case "registry_draft":
      return draftText(report);
    case "facts":
      return factsText(report, paint);
    case "memory":
      return memoryText(report, paint);
    case "intake":
      return intakeText(report, paint);
    case "route":
      return routeText(report, paint);
    case "adr_check":
      return adrCheckText(report, paint);
    case "adr_list":
      return adrListText(report, paint);
    case "adr_watch":
      return adrWatchText(report, paint);
    case "doctor":
      return doctorText(report, paint);
    case "init":
      return initText(report, paint);
    case "trust":
      return trustText(report, paint);
    case "completion":
      return report.script.trimEnd().split("\n");
    case "batch":
      return [`${count(report.decided, "decision")}, ${count(report.bad, "bad line")}`];
    case "migrated":
      return migratedText(report, paint);
    case "workers":
    case "worker_stopped":
      return (await import("./workers.js")).workersText(report, paint);
    case "clean":
      return cleanText(report, paint);
    case "served":
    case "mcp_served":
    case "mcp_registered":
    case "projects":
    case "tokens":
    case "token_added":
    case "token_revoked":
    case "login":
      return serveText(report, paint);
    case "published":
    case "issue":
    case "synced":
      return (await import("./hosts.js")).hostText(report, paint);
    case "error":
      return failureText(report, paint);
    default:
      // Views of runs load the whole model of a run: only where they are needed.
      return (await import("./runs.js")).runText(report, paint, size);
  }
}

function failureText({ code, message, fix, problems }: Failure, paint: Paint): string[] {
  return [
    `${paint.bad("Error")}: ${message} ${paint.dim(`[${code}]`)}`,
    ...problemLines(problems, paint),
    ...(fix === undefined ? [] : [`Fix: ${fix}`]),
  ];
}

function verificationText({ folder, verification }: PlanVerified, paint: Paint): string[] {
  const { passed, checks, manifest, difference } = verification;
  return [
    ...checks.map(({ name, passed: holds, detail }) => {
      const mark = holds ? paint.good("+ holds ") : paint.bad("x broken");
      return `${mark}  ${name.padEnd(10)}  ${oneLine(detail)}`;
    }),
    ...(difference === null
      ? []
      : [
          "",
          `First difference: ${difference.file}, line ${difference.line}`,
          `  found     ${oneLine(difference.found)}`,
          `  expected  ${oneLine(difference.expected)}`,
        ]),
    "",
    passed
      ? `Verified: ${folder} is ${manifest?.plan_id ?? "a plan"}, ${manifest?.state ?? ""}, checksum ${manifest?.plan_checksum ?? ""}`
      : `Not verified: ${folder} is not the plan that its inputs give. Plan again; a changed plan is not carried out.`,
  ];
}

function intentCheckText(
  { file, intentId, schemaVersion, checks, problems, recovery }: IntentChecked,
  paint: Paint,
): string[] {
  if (problems.length === 0)
    return [
      `${paint.good("+ good")}  ${file}: ${intentId ?? ""}, v${schemaVersion ?? ""}, ${count(checks.length, "check")}, no problem`,
    ];
  return [
    `${paint.bad("x bad")}  ${file}: ${count(problems.length, "problem")}`,
    ...problemLines(problems, paint),
    "",
    ...recovery.map((way) => `Way on: ${oneLine(way)}`),
  ];
}

function sealText({ intent, lock, writtenTo, lockWrittenTo }: IntentSealed): string[] {
  return [
    `Sealed ${intent.id} in ${writtenTo ?? ""}: checksum ${intent.audit.checksum}`,
    ...(lock === null || lockWrittenTo === null ? [] : [`Its registry versions are in ${lockWrittenTo}`]),
    `Next: coordinator plan --intent ${writtenTo ?? "FILE"}`,
  ];
}

function registryCheckText({ directories, counts, problems }: RegistryChecked, paint: Paint): string[] {
  const holds = Object.entries(counts).map(([kind, n]) => `${n} ${kind}`);
  return [
    ...directories.map((directory) => `Read ${directory}`),
    problems.length === 0
      ? `${paint.good("+ good")}  ${holds.join(", ")}; every rule compiles`
      : `${paint.bad("x bad")}  ${count(problems.length, "problem")}`,
    ...problemLines(problems, paint),
  ];
}

function draftText({ files }: RegistryDrafted): string[] {
  if (files.length === 0) return ["The registry has everything the intent names; there is nothing to draft."];
  const words = { drafted: "", written: "Written", exists: "Kept as it is" };
  return files.flatMap(({ path, yaml, status }) =>
    status === "drafted" ? [`# ${path}`, yaml] : [`${words[status]}: ${path}`],
  );
}
