import { useState, type ReactElement } from "react";
import { useMessage } from "../api/messages.ts";
import type { ComparedMail, TranslationQuery } from "../navigation/translation-query.ts";
import { Button } from "../shared/button.tsx";
import { Field } from "../shared/field.tsx";
import { Form } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { Panel } from "../shared/page.tsx";
import { pageStrings } from "../page-strings.ts";
import type { LocalisationReport } from "../wire-reports.ts";
import styles from "./translations.module.css";

const labels = pageStrings.translations;

/** Form for the locale of each mail. */
export function LocalesForm(props: {
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
      <Form
        className={layout.stack}
        onSubmit={() => {
          onSubmit({ ...query, mails, original: "" });
        }}
      >
        <div className={styles.locales}>
          {mails.map((mail, at) => (
            <LocaleField
              key={mail.id}
              mail={mail}
              stated={report?.locales.find(({ id }) => id === mail.id)?.locale}
              isRequired={missing.includes(`messages[${at}].locale`)}
              onChange={(locale) => {
                setMails(mails.with(at, { ...mail, locale }));
              }}
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
      onChange={(text) => {
        onChange(text.trim());
      }}
    />
  );
}
