import { X } from "lucide-react";
import { useState, type ReactElement } from "react";
import { usePhrases, useSetPhrases } from "../api/sending-permissions.ts";
import { Field } from "../shared/field.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Form } from "../shared/form.tsx";
import { strings } from "../strings.ts";
import { Page } from "../shared/page.tsx";

/** What texts may be answered with. */
export function PhrasesPage(): ReactElement {
  const { data: phrases, error } = usePhrases();
  const words = strings.phrases;
  return (
    <Page title={words.title} lead={words.lead}>
      <section className="panel stack">
        {error !== null && <ErrorNotice error={error} />}
        {phrases !== undefined && <PhraseList phrases={phrases} />}
      </section>
    </Page>
  );
}

function PhraseList({ phrases }: { readonly phrases: readonly string[] }): ReactElement {
  const { mutate, error, isPending } = useSetPhrases();
  const words = strings.phrases;
  return (
    <>
      {phrases.length === 0 && <p className="faint">{words.none}</p>}
      <ul className="row wrap" aria-label={words.list}>
        {phrases.map((phrase) => (
          <li key={phrase} className="criterion">
            <span className="clip">{phrase}</span>
            <button
              type="button"
              disabled={isPending}
              aria-label={words.remove(phrase)}
              onClick={() => {
                mutate(phrases.filter((one) => one !== phrase));
              }}
            >
              <X size={13} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      {error !== null && <ErrorNotice error={error} />}
      <NewPhrase
        phrases={phrases}
        isPending={isPending}
        onAdd={(phrase) => {
          mutate([...phrases, phrase]);
        }}
      />
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
  const words = strings.phrases;
  const isKnown = phrases.some((one) => one.toLowerCase() === phrase.trim().toLowerCase());
  const submit = (): void => {
    if (isKnown) return;
    onAdd(phrase.trim());
    setPhrase("");
  };
  return (
    <Form className="row wrap ends" onSubmit={submit}>
      <Field
        label={words.phrase}
        required
        maxLength={160}
        pattern=".*\S.*"
        value={phrase}
        onChange={(event) => {
          setPhrase(event.target.value);
        }}
      />
      <button type="submit" className="button" disabled={isPending || isKnown}>
        {words.add}
      </button>
      {isKnown && (
        <p className="faint" role="status">
          {words.known}
        </p>
      )}
    </Form>
  );
}
