import { clsx } from "clsx";
import { useId, type ReactElement, type ReactNode } from "react";
import { useDeliverability, useLint } from "../../api/checks.ts";
import badgeStyles from "../../shared/badge.module.css";
import { ErrorNotice } from "../../shared/error-notice.tsx";
import layout from "../../shared/layout.module.css";
import { strings } from "../../strings.ts";
import type { Deliverability, LintReport, Verdict } from "../../wire.ts";
import {
  checkGroups,
  findingsOf,
  judgeGroups,
  lintGroups,
  scoreOf,
  type CheckGroup,
  type GroupState,
  type GroupStates,
  type LintFinding,
} from "./checks-score.ts";
import styles from "./checks-view.module.css";

/** Checks of an email in groups, with a score: best practices, sender authentication, blocklists and spam. */
export function ChecksView({ id }: { readonly id: string }): ReactElement {
  const lint = useLint(id);
  const delivery = useDeliverability(id);
  const isPending = lint.isPending || delivery.isPending;
  const states = judgeGroups(lint.data, delivery.data);
  return (
    <div className={clsx(layout.stack, layout.loose)}>
      {lint.error !== null && <ErrorNotice error={lint.error} />}
      {delivery.error !== null && <ErrorNotice error={delivery.error} />}
      {isPending && <p className={layout.faint}>{strings.loading}</p>}
      {!isPending && states.size > 0 && <Score states={states} />}
      {lint.data !== undefined && <LintGroups report={lint.data} states={states} />}
      {delivery.data !== undefined && <DeliveryGroups report={delivery.data} states={states} />}
    </div>
  );
}

function Score({ states }: { readonly states: GroupStates }): ReactElement {
  const { passed, judged } = scoreOf(states);
  const labels = strings.checks;
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3 className={styles.score}>{labels.score(passed, judged)}</h3>
      <ul className={clsx(layout.row, layout.wrap)}>
        {checkGroups.map((group) => {
          const state = states.get(group);
          if (state === undefined) return null;
          return (
            <li key={group} className={badgeStyles.badge} data-result={resultOf[state]}>
              {labels.groups[group]}: {labels.groupStates[state]}
            </li>
          );
        })}
      </ul>
      <p className={clsx(layout.faint, layout.small)}>{labels.scoreHint}</p>
    </section>
  );
}

/** Colours of badges by state. */
const resultOf: Readonly<Record<GroupState, string>> = { passed: "Pass", problems: "Warning", unknown: "Timeout" };

function Group(props: {
  readonly group: CheckGroup;
  readonly states: GroupStates;
  readonly children: ReactNode;
}): ReactElement {
  const { group, states, children } = props;
  const id = useId();
  const state = states.get(group) ?? "unknown";
  const labels = strings.checks;
  return (
    <section className={clsx(layout.stack, layout.tight)} aria-labelledby={id}>
      <h3 id={id} className={clsx(layout.row, layout.wrap)}>
        {labels.groups[group]}
        <span className={badgeStyles.badge} data-result={resultOf[state]}>
          {labels.groupStates[state]}
        </span>
      </h3>
      {children}
    </section>
  );
}

function LintGroups({ report, states }: { readonly report: LintReport; readonly states: GroupStates }): ReactElement {
  const labels = strings.checks;
  const requirements = new Map(report.rules.map((rule) => [rule.rule, rule]));
  const { error, warning, info } = report.counts;
  return (
    <>
      <section className={clsx(layout.stack, layout.tight)}>
        <h3>{labels.lint}</h3>
        <p className={layout.faint}>
          {labels.problems}:{" "}
          {error + warning + info === 0 ? labels.noProblems : labels.lintCounts(error, warning, info)}
        </p>
      </section>
      {lintGroups.map((group) => {
        const findings = findingsOf(report, group);
        return (
          <Group key={group} group={group} states={states}>
            {findings.length === 0 && <p className={layout.faint}>{labels.noProblems}</p>}
            <ul className={styles.verdicts}>
              {findings.map((finding, at) => (
                // oxlint-disable-next-line react/no-array-index-key -- a rule can have several findings
                <FindingItem key={at} finding={finding} requirement={requirements.get(finding.rule)} />
              ))}
            </ul>
          </Group>
        );
      })}
    </>
  );
}

function DeliveryGroups(props: { readonly report: Deliverability; readonly states: GroupStates }): ReactElement {
  const { report, states } = props;
  const { spf, dkim, dmarc, arc, bimi, blockLists, dns, spamAssassin: spam } = report;
  const labels = strings.checks;
  const troubles = blockLists.filter((list) => list.result !== "Pass");
  const score = spam.rules.reduce((sum, rule) => sum + rule.score, 0).toFixed(1);
  return (
    <>
      <Group group="authentication" states={states}>
        {dns === "off" && <p className={layout.faint}>{labels.noDns}</p>}
        <ul className={styles.verdicts}>
          <VerdictItem name="spf" verdict={spf} />
          {dkim.map((verdict, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- signatures have no identity but their position
            <VerdictItem key={at} name="dkim" verdict={verdict} />
          ))}
          <VerdictItem name="dmarc" verdict={dmarc} />
          <VerdictItem name="arc" verdict={arc} />
          <VerdictItem name="bimi" verdict={bimi} />
        </ul>
      </Group>
      <Group group="blockLists" states={states}>
        {troubles.length === 0 && <p className={layout.faint}>{labels.noProblems}</p>}
        <ul className={styles.verdicts}>
          {troubles.map(({ id, name, result }) => (
            <li key={id}>
              <ResultBadge result={result} />
              <span>{name}</span>
            </li>
          ))}
        </ul>
      </Group>
      <Group group="spam" states={states}>
        <p>{labels.spamScore(score, spam.engine)}</p>
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
      </Group>
    </>
  );
}

/** A finding with what to do, and a link to the rule. */
function FindingItem(props: {
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
function VerdictItem(props: { readonly name: keyof typeof specifications; readonly verdict: Verdict }): ReactElement {
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
function ResultBadge({ result }: { readonly result: Verdict["result"] }): ReactElement {
  return (
    <span className={badgeStyles.badge} data-result={result}>
      {strings.checks.results[result]}
    </span>
  );
}
