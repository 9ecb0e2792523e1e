import type { ReactElement } from "react";
import { useDeliverability, useLint } from "../api/messages.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import type { Deliverability, LintReport, Verdict } from "../wire.ts";

/** What the service finds when it looks at the mail as others would: linters, receiving servers, spam filters. */
export function ChecksView({ id }: { readonly id: string }): ReactElement {
  const lint = useLint(id);
  const delivery = useDeliverability(id);
  const isPending = lint.isPending || delivery.isPending;
  return (
    <div className="stack" style={{ gap: "var(--space-5)" }}>
      {lint.error !== null && <ErrorNotice error={lint.error} />}
      {delivery.error !== null && <ErrorNotice error={delivery.error} />}
      {isPending && <p className="faint">{strings.loading}</p>}
      {lint.data !== undefined && <LintSection report={lint.data} />}
      {delivery.data !== undefined && <SenderSection report={delivery.data} />}
      {delivery.data !== undefined && <SpamSection spam={delivery.data.spamAssassin} />}
    </div>
  );
}

function LintSection({ report }: { readonly report: LintReport }): ReactElement {
  const { findings, counts } = report;
  const words = strings.checks;
  return (
    <section className="stack tight">
      <h3>{words.lint}</h3>
      <p className="faint">
        {findings.length === 0 ? words.noFindings : words.lintCounts(counts.error, counts.warning, counts.info)}
      </p>
      <ul className="verdicts">
        {findings.map(({ rule, severity, message, subject }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- rules speak more than once
          <li key={at}>
            <span className="badge" data-result={severity}>
              {words.severities[severity]}
            </span>
            <span>{message}</span>
            <span className="more small faint">
              <code>{rule}</code> {subject}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function SenderSection({ report }: { readonly report: Deliverability }): ReactElement {
  const { spf, dkim, dmarc, arc, bimi, blockLists, dns } = report;
  const { names, sender, noDns, blockLists: listed } = strings.checks;
  const troubles = blockLists.filter((list) => list.result !== "Pass");
  return (
    <section className="stack tight">
      <h3>{sender}</h3>
      {dns === "off" && <p className="faint">{noDns}</p>}
      <ul className="verdicts">
        <VerdictItem name={names.spf} verdict={spf} />
        {dkim.map((verdict, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- signatures have no other name than their place
          <VerdictItem key={at} name={names.dkim} verdict={verdict} />
        ))}
        <VerdictItem name={names.dmarc} verdict={dmarc} />
        <VerdictItem name={names.arc} verdict={arc} />
        <VerdictItem name={names.bimi} verdict={bimi} />
        <li>
          <ResultBadge result={troubles[0]?.result ?? "Pass"} />
          <b>{listed}</b>
          <span className="more faint">{troubles.map((list) => list.name).join(", ")}</span>
        </li>
      </ul>
    </section>
  );
}

function VerdictItem({ name, verdict }: { readonly name: string; readonly verdict: Verdict }): ReactElement {
  const { result, description, rawValue } = verdict;
  return (
    <li>
      <ResultBadge result={result} />
      <span>
        <b>{name}</b> {description}
      </span>
      {rawValue !== "" && <code className="more faint">{rawValue}</code>}
    </li>
  );
}

function ResultBadge({ result }: { readonly result: Verdict["result"] }): ReactElement {
  return (
    <span className="badge" data-result={result}>
      {strings.checks.results[result]}
    </span>
  );
}

function SpamSection({ spam }: { readonly spam: Deliverability["spamAssassin"] }): ReactElement {
  const words = strings.checks;
  const score = spam.rules.reduce((sum, rule) => sum + rule.score, 0).toFixed(1);
  return (
    <section className="stack tight">
      <h3>{words.spam}</h3>
      <div className="row">
        <ResultBadge result={spam.result} />
        <span>{words.spamScore(score, spam.engine)}</span>
      </div>
      {spam.rules.length === 0 && <p className="faint">{words.noSpam}</p>}
      <ul className="verdicts">
        {spam.rules.map(({ rule, description, score: points }) => (
          <li key={rule}>
            <span className="badge">{points.toFixed(1)}</span>
            <span>{description}</span>
            <code className="more faint small">{rule}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
