import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useDeliverability, useLint } from "../api/messages.ts";
import badgeStyles from "../shared/badge.module.css";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import type { Deliverability, LintReport, Verdict } from "../wire.ts";
import styles from "./checks-view.module.css";

/** Lint report, sender authentication and spam score of an email. */
export function ChecksView({ id }: { readonly id: string }): ReactElement {
  const lint = useLint(id);
  const delivery = useDeliverability(id);
  const isPending = lint.isPending || delivery.isPending;
  return (
    <div className={clsx(layout.stack, layout.loose)}>
      {lint.error !== null && <ErrorNotice error={lint.error} />}
      {delivery.error !== null && <ErrorNotice error={delivery.error} />}
      {isPending && <p className={layout.faint}>{strings.loading}</p>}
      {lint.data !== undefined && <LintSection report={lint.data} />}
      {delivery.data !== undefined && <SenderSection report={delivery.data} />}
      {delivery.data !== undefined && <SpamSection spam={delivery.data.spamAssassin} />}
    </div>
  );
}

function LintSection({ report }: { readonly report: LintReport }): ReactElement {
  const { findings, counts } = report;
  const labels = strings.checks;
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3>{labels.lint}</h3>
      <p className={layout.faint}>
        {findings.length === 0 ? labels.noFindings : labels.lintCounts(counts.error, counts.warning, counts.info)}
      </p>
      <ul className={styles.verdicts}>
        {findings.map(({ rule, severity, message, subject }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a rule can have several findings
          <li key={at}>
            <span className={badgeStyles.badge} data-result={severity}>
              {labels.severities[severity]}
            </span>
            <span>{message}</span>
            <span className={clsx(styles.more, layout.small, layout.faint)}>
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
    <section className={clsx(layout.stack, layout.tight)}>
      <h3>{sender}</h3>
      {dns === "off" && <p className={layout.faint}>{noDns}</p>}
      <ul className={styles.verdicts}>
        <VerdictItem name={names.spf} verdict={spf} />
        {dkim.map((verdict, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- signatures have no identity but their position
          <VerdictItem key={at} name={names.dkim} verdict={verdict} />
        ))}
        <VerdictItem name={names.dmarc} verdict={dmarc} />
        <VerdictItem name={names.arc} verdict={arc} />
        <VerdictItem name={names.bimi} verdict={bimi} />
        <li>
          <ResultBadge result={troubles[0]?.result ?? "Pass"} />
          <b>{listed}</b>
          <span className={clsx(styles.more, layout.faint)}>{troubles.map((list) => list.name).join(", ")}</span>
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
      {rawValue !== "" && <code className={clsx(styles.more, layout.faint)}>{rawValue}</code>}
    </li>
  );
}

function ResultBadge({ result }: { readonly result: Verdict["result"] }): ReactElement {
  return (
    <span className={badgeStyles.badge} data-result={result}>
      {strings.checks.results[result]}
    </span>
  );
}

function SpamSection({ spam }: { readonly spam: Deliverability["spamAssassin"] }): ReactElement {
  const labels = strings.checks;
  const score = spam.rules.reduce((sum, rule) => sum + rule.score, 0).toFixed(1);
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3>{labels.spam}</h3>
      <div className={layout.row}>
        <ResultBadge result={spam.result} />
        <span>{labels.spamScore(score, spam.engine)}</span>
      </div>
      {spam.rules.length === 0 && <p className={layout.faint}>{labels.noSpam}</p>}
      <ul className={styles.verdicts}>
        {spam.rules.map(({ rule, description, score: points }) => (
          <li key={rule}>
            <span className={badgeStyles.badge}>{points.toFixed(1)}</span>
            <span>{description}</span>
            <code className={clsx(styles.more, layout.faint, layout.small)}>{rule}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
