import { clsx } from "clsx";
import { X } from "lucide-react";
import { useState, type ReactElement } from "react";
import { usePermissions } from "../api/permissions.ts";
import { usePhrases, useSetPhrases } from "../api/sending.ts";
import { Button } from "../shared/button.tsx";
import chipStyles from "../shared/chip.module.css";
import { ErrorNotice } from "../shared/notice.tsx";
import { Field } from "../shared/field.tsx";
import { Form } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { Page, Panel } from "../shared/page.tsx";
import { pageStrings } from "../page-strings.ts";

const labels = pageStrings.phrases;

/** Phrases that SMS replies are limited to. */
export function PhrasesPage(): ReactElement {
  const { data: phrases, error, refetch } = usePhrases();
  return (
    <Page title={labels.title} lead={labels.lead}>
      <Panel className={layout.stack}>
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {phrases !== undefined && <PhraseList phrases={phrases} />}
      </Panel>
    </Page>
  );
}

function PhraseList({ phrases }: { readonly phrases: readonly string[] }): ReactElement {
  const { mutate, error, isPending } = useSetPhrases();
  const { canManage } = usePermissions();
  return (
    <>
      {phrases.length === 0 && <p className={layout.faint}>{labels.none}</p>}
      <ul className={clsx(layout.row, layout.wrap)} aria-label={labels.list}>
        {phrases.map((phrase) => (
          <li key={phrase} className={chipStyles.chip}>
            <span className={layout.clip}>{phrase}</span>
            {canManage && (
              <button
                type="button"
                disabled={isPending}
                aria-label={labels.remove(phrase)}
                onClick={() => mutate(phrases.filter((one) => one !== phrase))}
              >
                <X size={13} aria-hidden />
              </button>
            )}
          </li>
        ))}
      </ul>
      {error !== null && <ErrorNotice error={error} />}
      {canManage && (
        <NewPhrase phrases={phrases} isPending={isPending} onAdd={(phrase) => mutate([...phrases, phrase])} />
      )}
    </>
  );
}

function NewPhrase(props: {
  readonly phrases: readonly string[];
  readonly isPending: boolean;
  readonly onAdd: (phrase: string) => void;
}): ReactElement {
  const { phrases, isPending, onAdd } = props;
  const [phrase, setPhrase] = useState("");
  const isKnown = phrases.some((one) => one.toLowerCase() === phrase.trim().toLowerCase());
  const submit = (): void => {
    if (isKnown) return;
    onAdd(phrase.trim());
    setPhrase("");
  };
  return (
    <Form className={clsx(layout.row, layout.wrap, layout.ends)} onSubmit={submit}>
      <Field label={labels.phrase} required maxLength={160} pattern=".*\S.*" value={phrase} onChange={setPhrase} />
      <Button type="submit" disabled={isPending || isKnown}>
        {labels.add}
      </Button>
      {isKnown && (
        <p className={layout.faint} role="status">
          {labels.known}
        </p>
      )}
    </Form>
  );
}
