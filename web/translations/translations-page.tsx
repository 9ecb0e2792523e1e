import { Languages } from "lucide-react";
import { type ReactElement, useState } from "react";
import { useLocalisation } from "../api/checks.ts";
import { ApiError } from "../api/client.ts";
import { useMessage } from "../api/messages.ts";
import { Link, navigate } from "../navigation/location.tsx";
import { inboxPath } from "../navigation/routes.ts";
import {
  type ComparedMail,
  translationPath,
  type TranslationQuery,
  useTranslationQuery,
} from "../navigation/translation-query.ts";
import { pageStrings } from "../page-strings.ts";
import { Button } from "../shared/button.tsx";
import { Field } from "../shared/field.tsx";
import { Form } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { ErrorNotice } from "../shared/notice.tsx";
import { EmptyState, Page, Panel } from "../shared/page.tsx";
import { strings } from "../strings.ts";
import type { LocalisationReport } from "../wire.ts";
import { TranslationReport } from "./translation-report.tsx";
import styles from "./translations.module.css";

const labels = pageStrings.translations;

/** Comparison of a mail with its translations; the address names the mails. */
export function TranslationsPage({ server }: { readonly server: string }): ReactElement {
  const query = useTranslationQuery();
  const { data: report, error, isPlaceholderData, refetch } = useLocalisation(query);
  const [isEditing, setEditing] = useState(false);
  const show = (next: TranslationQuery): void => navigate(translationPath(server, next), { replace: true });
  if (query.mails.length === 0) return <NothingCompared server={server} />;
  const missing = error instanceof ApiError ? error.fields : [];
  const hasForm = isEditing || missing.length > 0;
  const edit = (
    <Button aria-expanded={hasForm} onClick={() => setEditing(!isEditing)}>
      <Languages size={14} aria-hidden />
      {labels.change}
    </Button>
  );
  return (
    <Page title={labels.title} lead={labels.lead} action={edit}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {hasForm && (
        <LocalesForm
          query={query}
          report={report}
          missing={missing}
          onSubmit={(next) => {
            setEditing(false);
            show(next);
          }}
        />
      )}
      {report === undefined && error === null && <p className={layout.faint}>{labels.loading}</p>}
      {report !== undefined && (
        <div className={layout.stack} aria-busy={isPlaceholderData}>
          <TranslationReport
            server={server}
            query={query}
            report={report}
            onChange={show}
            onRetry={() => void refetch()}
          />
        </div>
      )}
    </Page>
  );
}

function NothingCompared({ server }: { readonly server: string }): ReactElement {
  return (
    <Page title={labels.title} lead={labels.lead}>
      <Panel>
        <EmptyState icon={Languages} text={labels.none} hint={labels.noneHint} />
        <p>
          <Link href={inboxPath(server)}>{strings.shell.inbox}</Link>
        </p>
      </Panel>
    </Page>
  );
}

/** Form for the locale of each mail. */
function LocalesForm(props: {
  readonly query: TranslationQuery;
  /** Result with the locales that the mails state; undefined without one. */
  readonly report: LocalisationReport | undefined;
  /** Members of the request that were refused, such as `messages[1].locale`. */
  readonly missing: readonly string[];
  readonly onSubmit: (query: TranslationQuery) => void;
}): ReactElement {
  const { query, report, missing, onSubmit } = props;
  const [mails, setMails] = useState(query.mails);
  return (
    <Panel>
      <Form className={layout.stack} onSubmit={() => onSubmit({ ...query, mails, original: "" })}>
        <div className={styles.locales}>
          {mails.map((mail, at) => (
            <LocaleField
              key={mail.id}
              mail={mail}
              stated={report?.locales.find(({ id }) => id === mail.id)?.locale}
              isRequired={missing.includes(`messages[${at}].locale`)}
              onChange={(locale) => setMails(mails.with(at, { ...mail, locale }))}
            />
          ))}
        </div>
        <div>
          <Button variant="primary" type="submit">
            {labels.compare}
          </Button>
        </div>
      </Form>
    </Panel>
  );
}

function LocaleField(props: {
  readonly mail: ComparedMail;
  readonly stated: string | undefined;
  readonly isRequired: boolean;
  readonly onChange: (locale: string) => void;
}): ReactElement {
  const { mail, stated, isRequired, onChange } = props;
  const { data: message } = useMessage(mail.id);
  return (
    <Field
      label={labels.localeOf(message?.subject ?? mail.id)}
      placeholder={stated ?? labels.localeHint}
      required={isRequired}
      maxLength={35}
      pattern="[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}"
      title={labels.localeHint}
      value={mail.locale}
      onChange={(text) => onChange(text.trim())}
    />
  );
}
