import { clsx } from "clsx";
import { useId, type ReactElement, type ReactNode } from "react";
import { useDeliverability, useLint } from "../../api/checks.ts";
import badgeStyles from "../../shared/badge.module.css";
import { ErrorNotice } from "../../shared/notice.tsx";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import { strings } from "../../strings.ts";
import type { Deliverability, LintReport } from "../../wire.ts";
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
import { Authentication, ResultBadge } from "./authentication-view.tsx";
import styles from "./checks-view.module.css";
import { CompatibilityView } from "./compatibility-view.tsx";

const labels = pageStrings.checks;

/**
 * Checks of an email in groups, with a score. Groups with problems come first; those that have nothing to say have only their
 * badge below the score.
 */
export function ChecksView({ id }: { readonly id: string }): ReactElement {
  const lint = useLint(id);
  const delivery = useDeliverability(id);
  const isPending = lint.isPending || delivery.isPending;
  const states = judgeGroups(lint.data, delivery.data);
  const rankOf = (group: CheckGroup): number => ranks.indexOf(states.get(group) ?? "unknown");
  // Groups change their places with the second report.
  const shownGroups = isPending ? [] : checkGroups.toSorted((first, second) => rankOf(first) - rankOf(second));
  return (
    <div className={clsx(layout.stack, layout.loose)}>
      {lint.error !== null && <ErrorNotice error={lint.error} />}
      {delivery.error !== null && <ErrorNotice error={delivery.error} />}
      {isPending && <p className={layout.faint}>{strings.loading}</p>}
      {!isPending && states.size > 0 && <Score states={states} report={lint.data} />}
      {shownGroups.map((group) => {
        const content = contentOf(group, { id, lint: lint.data, delivery: delivery.data });
        if (content === null) return null;
        return (
          <Group key={group} group={group} states={states}>
            {content}
          </Group>
        );
      })}
    </div>
  );
}

/** States in the order of the groups. */
const ranks: readonly GroupState[] = ["problems", "passed", "unknown"];

interface Reports {
  readonly id: string;
  readonly lint: LintReport | undefined;
  readonly delivery: Deliverability | undefined;
}

/** Returns what a group says; null for nothing. */
function contentOf(group: CheckGroup, { id, lint, delivery }: Reports): ReactElement | null {
  const lintGroup = lintGroups.find((one) => one === group);
  if (lintGroup !== undefined) {
    const findings = lint === undefined ? [] : findingsOf(lint, lintGroup);
    if (lint === undefined || findings.length === 0) return null;
    return group === "compatibility" ? <CompatibilityView id={id} /> : <Findings findings={findings} report={lint} />;
  }
  if (delivery === undefined) return null;
  if (group === "authentication") return <Authentication report={delivery} />;
  return group === "blockLists" ? blockListsOf(delivery) : spamOf(delivery);
}

function Score(props: { readonly states: GroupStates; readonly report: LintReport | undefined }): ReactElement {
  const { states, report } = props;
  const { passed, judged } = scoreOf(states);
  const { error = 0, warning = 0, info = 0 } = report?.counts ?? {};
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
      <p className={clsx(layout.faint, layout.small)}>
        {error + warning + info > 0 && `${labels.lintCounts(error, warning, info)}. `}
        {labels.scoreHint}
      </p>
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

/** Findings of a group, the gravest first. */
function Findings(props: { readonly findings: readonly LintFinding[]; readonly report: LintReport }): ReactElement {
  const requirements = new Map(props.report.rules.map((rule) => [rule.rule, rule]));
  const sorted = props.findings.toSorted(
    (one, other) => gravity.indexOf(one.severity) - gravity.indexOf(other.severity),
  );
  const groups = [...Map.groupBy(sorted, ({ rule, message }) => `${rule} ${message}`)];
  return (
    <ul className={styles.verdicts}>
      {groups.map(([key, group]) => (
        <FindingItem key={key} findings={group} requirement={requirements.get(group[0]?.rule ?? "")} />
      ))}
    </ul>
  );
}

const gravity: readonly LintFinding["severity"][] = ["error", "warning", "info"];

function blockListsOf({ blockLists, dns }: Deliverability): ReactElement | null {
  const troubles = blockLists.filter((list) => list.result !== "Pass");
  if (dns === "off" || troubles.length === 0) return null;
  return (
    <ul className={styles.verdicts}>
      {troubles.map(({ id, name, result }) => (
        <li key={id}>
          <ResultBadge result={result} isJudged />
          <span>{name}</span>
        </li>
      ))}
    </ul>
  );
}

function spamOf({ spamAssassin: { rules, engine } }: Deliverability): ReactElement | null {
  if (rules.length === 0) return null;
  const score = rules.reduce((sum, rule) => sum + rule.score, 0).toFixed(1);
  return (
    <>
      <p>{pageStrings.checks.spamScore(score, engine)}</p>
      <ul className={styles.verdicts}>
        {rules.map(({ rule, description, score: points }) => (
          <li key={rule}>
            <span className={badgeStyles.badge}>{points.toFixed(1)}</span>
            <span>{description}</span>
            <code className={clsx(styles.more, layout.faint, layout.small)}>{rule}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Places that are shown of findings with the same text. */
const shownPlacesMax = 5;

/** Findings with the same text: what to do, a link to the rule, and where they are. */
function FindingItem(props: {
  readonly findings: readonly LintFinding[];
  readonly requirement: LintReport["rules"][number] | undefined;
}): ReactElement | null {
  const { findings } = props;
  const [finding] = findings;
  const { meaning = "", url = null } = props.requirement ?? {};
  if (finding === undefined) return null;
  const { rule, severity, message } = finding;
  const hiddenCount = findings.length - shownPlacesMax;
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
        {findings
          .slice(0, shownPlacesMax)
          .map(({ subject }) => subject)
          .join(", ")}
        {hiddenCount > 0 && ` ${pageStrings.message.moreContacts(hiddenCount)}`}
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
