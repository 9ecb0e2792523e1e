import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useScan } from "../../api/scanner.ts";
import { ErrorNotice } from "../../shared/error-notice.tsx";
import { formatInstant } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import tableStyles from "../../shared/table.module.css";
import { pageStrings } from "../../page-strings.ts";
import { strings } from "../../strings.ts";
import type { Scan } from "../../wire.ts";

/** Requests of the link scanner for a message that was scanned, and their responses. */
export function ScanView({ id }: { readonly id: string }): ReactElement {
  const { data: scan, error } = useScan(id);
  const labels = strings.scan;
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3>{labels.title}</h3>
      {error !== null && <ErrorNotice error={error} />}
      {scan !== undefined && <Report scan={scan} />}
    </section>
  );
}

function Report({ scan }: { readonly scan: Scan }): ReactElement {
  const labels = strings.scan;
  const { profile, when, result, started, urlCount, skippedCount, omittedCount, requests } = scan;
  return (
    <>
      <p>{labels.summary(pageStrings.scanner.profiles[profile], labels.moments[when], formatInstant(started))}</p>
      <p className={layout.soft}>{labels.results[result](urlCount, skippedCount)}</p>
      {requests.length > 0 && <Requests requests={requests} />}
      {omittedCount > 0 && <p className={layout.faint}>{labels.omitted(omittedCount)}</p>}
    </>
  );
}

function Requests({ requests }: Pick<Scan, "requests">): ReactElement {
  const labels = strings.scan;
  return (
    <div className={tableStyles.wideContent}>
      <table className={tableStyles.table} aria-label={labels.title}>
        <thead>
          <tr>
            <th scope="col">{labels.request}</th>
            <th scope="col">{labels.resource}</th>
            <th scope="col">{labels.status}</th>
            <th scope="col">{labels.duration}</th>
            <th scope="col">{labels.outcome}</th>
          </tr>
        </thead>
        <tbody>
          {requests.map(({ method, url, resource, status, durationMs, redirect, error }, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- the same request may be made twice
            <tr key={at}>
              <td className={clsx(layout.anywhere, layout.mono)}>{`${method} ${url}`}</td>
              <td>{resource ?? ""}</td>
              <td>{status ?? ""}</td>
              <td>{labels.ms(durationMs)}</td>
              <td className={layout.anywhere}>{error ?? (redirect === null ? "" : labels.redirect(redirect))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
