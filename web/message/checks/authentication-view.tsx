import { clsx } from "clsx";
import type { ReactElement } from "react";
import { pageStrings } from "../../page-strings.ts";
import badgeStyles from "../../shared/badge.module.css";
import layout from "../../shared/layout.module.css";
import type { Deliverability, Verdict } from "../../wire.ts";
import { isSenderJudged } from "./checks-score.ts";
import styles from "./checks-view.module.css";

const labels = pageStrings.checks;

/** Verdicts on the sender, grey when they do not count; without DNS, only that they are not known. */
export function Authentication({ report }: { readonly report: Deliverability }): ReactElement {
  const { spf, dkim, dmarc, arc, bimi, dns } = report;
  if (dns === "off") return <p className={layout.faint}>{labels.noDns}</p>;
  const isJudged = isSenderJudged(report);
  const verdicts = [
    ["spf", spf],
    ...dkim.map((verdict) => ["dkim", verdict] as const),
    ["dmarc", dmarc],
    ["arc", arc],
    ["bimi", bimi],
  ] as const;
  return (
    <>
      {!isJudged && <p className={layout.faint}>{labels.notJudged}</p>}
      <ul className={styles.verdicts}>
        {verdicts.map(([name, verdict], at) => (
          // oxlint-disable-next-line react/no-array-index-key -- signatures have no identity but their position
          <VerdictItem key={at} name={name} verdict={verdict} isJudged={isJudged} />
        ))}
      </ul>
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
function VerdictItem(props: {
  readonly name: keyof typeof specifications;
  readonly verdict: Verdict;
  readonly isJudged: boolean;
}): ReactElement {
  const { name, verdict, isJudged } = props;
  const { result, description, rawValue } = verdict;
  return (
    <li>
      <ResultBadge result={result} isJudged={isJudged} />
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

/** Badge of a result, grey when it does not count. */
export function ResultBadge(props: { readonly result: Verdict["result"]; readonly isJudged: boolean }): ReactElement {
  const { result, isJudged } = props;
  return (
    <span className={badgeStyles.badge} data-result={isJudged ? result : "Timeout"}>
      {pageStrings.checks.results[result]}
    </span>
  );
}
