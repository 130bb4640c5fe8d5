import { z } from "zod";
import type { Finding } from "../../../model/settings/check.js";
import { reportCutOff, jsonReports, relative, test, type ReadReport } from "./report.js";

/* The JSON report of Jest, which Vitest writes as well. */

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string().optional(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({
          fullName: z.string().optional(),
          title: z.string(),
          ancestorTitles: z.array(z.string()).default([]),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
          location: z.object({ line: z.number() }).nullish(),
        }),
      ),
    }),
  ),
});

export const readJest: ReadReport = (text) => {
  const { documents, isCutOff } = jsonReports(text, '"testResults"');
  const reports = documents.map((value) => Report.safeParse(value));
  // Several packages of one repository write one each.
  const read = reports.flatMap(({ success, data }) => (success ? [data.testResults] : []));
  if (read.length === 0) return null;
  const found = read.flat().flatMap((file): Finding[] => {
    const path = relative(file.name);
    const tests = file.assertionResults.map((result) =>
      test([...result.ancestorTitles, result.title].join(" > "), statusOf(result.status), {
        message: (result.failureMessages ?? []).join("\n"),
        file: path,
        line: result.location?.line ?? null,
      }),
    );
    // A file that does not load has no tests and fails all the same.
    const silent = file.status === "failed" && !tests.some(({ status }) => status === "failed");
    return silent ? [...tests, test(`${path} loads`, "failed", { message: file.message ?? "", file: path })] : tests;
  });
  return isCutOff ? [...found, reportCutOff("the JSON report")] : found;
};

function statusOf(status: string): Finding["status"] {
  return status === "passed" || status === "failed" ? status : "skipped";
}
