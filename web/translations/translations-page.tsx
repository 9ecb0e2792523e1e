import { Languages } from "lucide-react";
import { useState, type ReactElement } from "react";
import { ApiError } from "../api/client.ts";
import { useLocalisation } from "../api/translations.ts";
import { Link, navigate } from "../navigation/location.tsx";
import { inboxPath } from "../navigation/routes.ts";
import { translationPath, useTranslationQuery, type TranslationQuery } from "../navigation/translation-query.ts";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import { EmptyState, Page, Panel } from "../shared/page.tsx";
import { pageStrings } from "../page-strings.ts";
import { strings } from "../strings.ts";
import { LocalesForm } from "./locales-form.tsx";
import { TranslationReport } from "./translation-report.tsx";

const labels = pageStrings.translations;

/** Comparison of a mail with its translations; the address names the mails. */
export function TranslationsPage({ server }: { readonly server: string }): ReactElement {
  const query = useTranslationQuery();
  const { data: report, error, isPlaceholderData, refetch } = useLocalisation(query);
  const [isEditing, setEditing] = useState(false);
  const show = (next: TranslationQuery): void => {
    navigate(translationPath(server, next), { replace: true });
  };
  if (query.mails.length === 0) return <NothingCompared server={server} />;
  const missing = error instanceof ApiError ? error.fields : [];
  const hasForm = isEditing || missing.length > 0;
  const edit = (
    <Button
      aria-expanded={hasForm}
      onClick={() => {
        setEditing(!isEditing);
      }}
    >
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
