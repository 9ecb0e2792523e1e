/** Entries of the Checks tab: findings of rules and results of checks. */
import { clsx } from "clsx";
import type { ReactElement } from "react";
import badgeStyles from "../../shared/badge.module.css";
import layout from "../../shared/layout.module.css";
import { strings } from "../../strings.ts";
import type { LintReport, Verdict } from "../../wire.ts";
import type { LintFinding } from "./checks-score.ts";
import styles from "./checks-view.module.css";

/** A finding with what to do, and a link to the rule. */
export function FindingItem(props: {
  readonly finding: LintFinding;
  readonly requirement: LintReport["rules"][number] | undefined;
}): ReactElement {
  const { rule, severity, message, subject } = props.finding;
  const { meaning = "", url = null } = props.requirement ?? {};
  const labels = strings.checks;
  return (
    <li>
      <span className={badgeStyles.badge} data-result={severity}>
        {labels.severities[severity]}
      </span>
      <span>{message}</span>
      {meaning !== "" && (
        <span className={clsx(styles.more, layout.soft)}>
          {labels.fix} <Words text={meaning} />
        </span>
      )}
      <span className={clsx(styles.more, layout.small, layout.faint)}>
        {url === null ? (
          <code>{rule}</code>
        ) : (
          <a href={url} target="_blank" rel="noopener noreferrer" aria-label={labels.rule(rule)}>
            <code>{rule}</code>
          </a>
        )}{" "}
        {subject}
      </span>
    </li>
  );
}

/** Text in which backticks enclose code, as in Markdown. */
function Words({ text }: { readonly text: string }): ReactElement {
  return (
    <>
      {text.split("`").map((part, at) =>
        // oxlint-disable-next-line react/no-array-index-key -- parts have no identity but their position
        at % 2 === 0 ? part : <code key={at}>{part}</code>,
      )}
    </>
  );
}

/** Specifications of the checks. */
const specifications = {
  spf: "https://www.rfc-editor.org/rfc/rfc7208",
  dkim: "https://www.rfc-editor.org/rfc/rfc6376",
  dmarc: "https://www.rfc-editor.org/rfc/rfc7489",
  arc: "https://www.rfc-editor.org/rfc/rfc8617",
  bimi: "https://bimigroup.org/",
} as const;

/** Result of a check of sender authentication; one that did not pass links its specification. */
export function VerdictItem(props: {
  readonly name: keyof typeof specifications;
  readonly verdict: Verdict;
}): ReactElement {
  const { name, verdict } = props;
  const { result, description, rawValue } = verdict;
  const labels = strings.checks;
  return (
    <li>
      <ResultBadge result={result} />
      <span>
        <b>
          {labels.names[name]} {labels.verdicts[result]}
        </b>
      </span>
      {description !== "" && (
        <span className={clsx(styles.more, layout.soft)}>
          {description}{" "}
          {result !== "Pass" && (
            <a href={specifications[name]} target="_blank" rel="noopener noreferrer">
              {labels.rule(labels.names[name])}
            </a>
          )}
        </span>
      )}
      {rawValue !== "" && <code className={clsx(styles.more, layout.faint)}>{rawValue}</code>}
    </li>
  );
}

/** Badge of a result. */
export function ResultBadge({ result }: { readonly result: Verdict["result"] }): ReactElement {
  return (
    <span className={badgeStyles.badge} data-result={result}>
      {strings.checks.results[result]}
    </span>
  );
}
