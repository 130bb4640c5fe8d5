import type { VerdictReport } from "../types.ts";
import { Scroll } from "./scroll.tsx";
import { Status } from "./status.tsx";
import { Heads } from "./heads.tsx";

/** The checks of a result beside the same checks on what it was built on, and every reason that kept it from passing. */
export function Verdict({ of: report }: { readonly of: VerdictReport }) {
  const { verdict, reasons, results, regressions, fixed, pre_existing, missing, flaky, security, unreached } = report;
  const count = (list: readonly { readonly check: string }[], check: string) =>
    list.filter((one) => one.check === check).length;
  return (
    <div className="verdict">
      <p>
        <Status of={verdict} />
      </p>
      {reasons.length > 0 && (
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {results.length > 0 && (
        <Scroll label="Checks against the baseline">
          <table>
            <caption>Checks against the baseline</caption>
            <Heads of={["Check", "Passed", "Newly failing", "Failed before", "Mended", "Missing"]} />
            <tbody>
              {results.map(({ check, findings, exit_code, ended }) => (
                <tr key={check}>
                  <td>
                    {check}{" "}
                    <span className="quiet">
                      {ended === "exited" ? `exit code ${String(exit_code)}` : ended.replaceAll("_", " ")}
                    </span>
                  </td>
                  <td>{findings.filter(({ status }) => status === "passed").length}</td>
                  <td>{tellCount(count(regressions, check), "✕", "bad")}</td>
                  <td>{count(pre_existing, check)}</td>
                  <td>{tellCount(count(fixed, check), "✓", "good")}</td>
                  <td>{count(missing, check)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <Failures head="Newly failing" of={regressions} isOpen />
      <Failures head="Not run any more" of={missing} isOpen />
      <Failures head="Changed from run to run" of={flaky} />
      <Failures head="Failed before as well" of={pre_existing} />
      {security.length > 0 && (
        <ul>
          {security.map(({ rule_id, path, line, reason, severity }, index) => (
            // Two findings may be alike; their order never changes.
            <li key={index}>
              {severity === "block" ? "✕ Security" : "! Security"}: {reason} <code>{place(path, line)}</code>{" "}
              <span className="quiet">({rule_id})</span>
            </li>
          ))}
        </ul>
      )}
      {unreached.length > 0 && <p>No check touches {unreached.join(", ")}.</p>}
    </div>
  );
}

function tellCount(count: number, sign: string, tone: string) {
  return count === 0 ? "0" : <span className={tone}>{`${sign} ${count}`}</span>;
}

const place = (path: string | null, line: number | null) =>
  path === null ? "" : line === null ? path : `${path}:${line}`;

function Failures({
  head,
  of,
  isOpen = false,
}: {
  readonly head: string;
  readonly of: VerdictReport["regressions"];
  readonly isOpen?: boolean;
}) {
  if (of.length === 0) return null;
  return (
    <details open={isOpen}>
      <summary>
        {head}: {of.length}
      </summary>
      <ul className="plain-list">
        {of.map(({ check, finding }) => (
          <li key={`${check} ${finding.id}`}>
            <strong>{finding.name}</strong> <span className="quiet">{check}</span>{" "}
            <code>{place(finding.file, finding.line)}</code>
            {finding.message !== "" && <pre>{finding.message}</pre>}
          </li>
        ))}
      </ul>
    </details>
  );
}
