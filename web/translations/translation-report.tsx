import { clsx } from "clsx";
import type { ReactElement } from "react";
import { Link } from "../navigation/location.tsx";
import { routePath } from "../navigation/routes.ts";
import { canKeep, type TranslationQuery } from "../navigation/translation-query.ts";
import badgeStyles from "../shared/badge.module.css";
import { Button } from "../shared/button.tsx";
import { Chip } from "../shared/chip.tsx";
import fieldStyles from "../shared/field.module.css";
import { optionsOf, SelectField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { Panel } from "../shared/page.tsx";
import { Table } from "../shared/table.tsx";
import { pageStrings } from "../page-strings.ts";
import { strings } from "../strings.ts";
import type { LocalisationReport } from "../wire.ts";
import styles from "./translations.module.css";

const labels = pageStrings.translations;
const rules = optionsOf(labels.rules);

type Translation = LocalisationReport["locales"][number];
type Finding = Translation["findings"][number];

interface ReportProps {
  readonly server: string;
  readonly query: TranslationQuery;
  readonly report: LocalisationReport;
  readonly onChange: (query: TranslationQuery) => void;
  /** Compares again. */
  readonly onRetry: () => void;
}

/** Result of a comparison: a table of the mails with the number of faults of each rule, and the faults of each mail. */
export function TranslationReport({ server, query, report, onChange, onRetry }: ReportProps): ReactElement {
  const { locales, overflowProblem } = report;
  const faulty = locales.filter(({ findings }) => findings.length > 0);
  const faultCount = faulty.reduce((sum, { findings }) => sum + findings.length, 0);
  return (
    <>
      <Panel className={layout.stack}>
        <div className={clsx(layout.row, layout.wrap, layout.ends)}>
          <span role="status" className={badgeStyles.badge} data-result={report.isMet ? "Pass" : "Fail"}>
            {labels.verdict(faultCount, faulty.length)}
          </span>
          <div className={layout.push}>
            <SelectField
              label={labels.original}
              value={report.default}
              options={[...new Set(locales.map(({ locale }) => locale))].map((locale) => [locale, nameOf(locale)])}
              onChange={(original) => onChange({ ...query, original })}
            />
          </div>
        </div>
        <Table label={labels.title} heads={[labels.locale, labels.subject, ...rules.map(([, text]) => text)]}>
          {locales.map((translation) => (
            <Row key={translation.id} server={server} report={report} translation={translation} />
          ))}
        </Table>
        {overflowProblem !== null && (
          <p className={clsx(layout.row, layout.wrap, layout.faint, layout.small)}>
            {labels.notMeasured(overflowProblem)}
            <Button onClick={onRetry}>{strings.retry}</Button>
          </p>
        )}
        <KeptTexts query={query} onChange={onChange} />
      </Panel>
      {faulty.map((translation) => (
        <Panel key={translation.id} className={clsx(layout.stack, layout.tight)}>
          <h2>{nameOf(translation.locale)}</h2>
          <ul className={styles.faults}>
            {translation.findings.map((finding) => (
              <Fault
                key={`${finding.rule} ${finding.message} ${finding.subject}`}
                finding={finding}
                onKeep={
                  finding.rule === "missing-translation" && canKeep(query, finding.subject)
                    ? () => onChange({ ...query, keep: [...query.keep, finding.subject] })
                    : null
                }
              />
            ))}
          </ul>
        </Panel>
      ))}
    </>
  );
}

function Row(props: {
  readonly server: string;
  readonly report: LocalisationReport;
  readonly translation: Translation;
}): ReactElement {
  const { server, report, translation } = props;
  const { locale, findings } = translation;
  return (
    <tr>
      <th scope="row">
        {nameOf(locale)} {locale === report.default && <span className={badgeStyles.badge}>{labels.isOriginal}</span>}
      </th>
      <td data-label={labels.subject} className={layout.anywhere}>
        <SubjectLink server={server} translation={translation} />
      </td>
      {rules.map(([rule, text]) => (
        <td key={rule} data-label={text}>
          <Count
            count={findings.filter((finding) => finding.rule === rule).length}
            isKnown={rule !== "overflow" || report.overflowProblem === null}
          />
        </td>
      ))}
    </tr>
  );
}

function SubjectLink(props: { readonly server: string; readonly translation: Translation }): ReactElement {
  const { server, translation } = props;
  const { locale, id, subject, direction } = translation;
  return (
    <Link href={routePath({ kind: "mail", server, message: id, tab: null })} lang={locale}>
      <bdi dir={direction}>{subject === "" ? pageStrings.message.list.noSubject : subject}</bdi>
    </Link>
  );
}

function Count({ count, isKnown }: { readonly count: number; readonly isKnown: boolean }): ReactElement {
  if (count > 0) {
    return (
      <span className={badgeStyles.badge} data-result="Fail">
        {count}
      </span>
    );
  }
  return <span className={layout.faint}>{isKnown ? "0" : labels.unknown}</span>;
}

function Fault({ finding, onKeep }: { readonly finding: Finding; readonly onKeep: (() => void) | null }): ReactElement {
  const { rule, message, subject } = finding;
  return (
    <li>
      <span className={badgeStyles.badge}>{labels.rules[rule]}</span>
      <div className={layout.anywhere}>
        <bdi>{subject}</bdi>
        <p className={clsx(layout.faint, layout.small)}>{message}</p>
      </div>
      {onKeep !== null && (
        <button type="button" className={fieldStyles.segment} title={labels.keepHint} onClick={onKeep}>
          {labels.keep}
        </button>
      )}
    </li>
  );
}

function KeptTexts({ query, onChange }: Pick<ReportProps, "query" | "onChange">): ReactElement | null {
  if (query.keep.length === 0) return null;
  return (
    <div className={clsx(layout.row, layout.wrap)} role="group" aria-label={labels.kept}>
      <span className={layout.faint}>{labels.kept}</span>
      {query.keep.map((text) => (
        <Chip
          key={text}
          text={text}
          name={text}
          onRemove={() => onChange({ ...query, keep: query.keep.filter((one) => one !== text) })}
        />
      ))}
    </div>
  );
}

const languageNames = new Intl.DisplayNames("en", { type: "language" });

/** Returns a locale with its English name: `German (de)`. */
function nameOf(locale: string): string {
  const name = languageNames.of(locale) ?? locale;
  return name === locale ? locale : `${name} (${locale})`;
}
