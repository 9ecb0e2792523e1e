import { useState, type ReactElement } from "react";
import { useReplyAction } from "../api/sending.ts";
import { addressOf } from "../shared/format.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { showToast } from "../shared/toast.tsx";
import { Form } from "../shared/form.tsx";
import { strings } from "../strings.ts";
import type { Conversation, Turn } from "../wire.ts";

/** Phrases that have buttons of their own; further ones are chosen from a list. */
const shownPhrasesMax = 12;
const phrasesId = "approved-phrases";

/** ReplyFieldsByKind a text with one press; says why where it cannot be answered. */
export function PhrasePicker(props: {
  readonly server: string;
  readonly turns: readonly Turn[];
  readonly answers: NonNullable<Conversation["answers"]>;
}): ReactElement | null {
  const { server, turns, answers } = props;
  const heard = turns.findLast((turn) => turn.direction === "Received");
  const { mutate, error, isPending } = useReplyAction("reply", { id: heard?.id ?? "", server });
  const words = strings.conversation;
  if (heard === undefined) return null;
  if (!answers.hasHook) return <p className="notice">{words.noHook(heard.to.map(addressOf).join(", "))}</p>;
  const send = (text: string): void => {
    mutate({ text }, { onSuccess: () => showToast({ text: words.sent(text) }) });
  };
  return (
    <div className="phrase-picker stack tight">
      <div className="row wrap" role="group" aria-label={words.answers}>
        {answers.phrases.slice(0, shownPhrasesMax).map((phrase) => (
          <button
            key={phrase}
            type="button"
            className="phrase"
            disabled={isPending}
            aria-label={words.send(phrase)}
            onClick={() => {
              send(phrase);
            }}
          >
            {phrase}
          </button>
        ))}
      </div>
      {answers.phrases.length > shownPhrasesMax && (
        <FurtherPhrases phrases={answers.phrases} isPending={isPending} onSend={send} />
      )}
      {error !== null && <ErrorNotice error={error} />}
      <p className="faint small">{words.onlyPhrases}</p>
    </div>
  );
}

function FurtherPhrases(props: {
  readonly phrases: readonly string[];
  readonly isPending: boolean;
  readonly onSend: (phrase: string) => void;
}): ReactElement {
  const { phrases, isPending, onSend } = props;
  const [phrase, setPhrase] = useState("");
  const words = strings.conversation;
  const submit = (): void => {
    onSend(phrase);
    setPhrase("");
  };
  return (
    <Form className="row" onSubmit={submit}>
      <input
        className="input"
        list={phrasesId}
        required
        autoComplete="off"
        aria-label={words.answerWith}
        placeholder={words.answerWith}
        value={phrase}
        onChange={(event) => {
          setPhrase(event.target.value);
        }}
      />
      <datalist id={phrasesId}>
        {phrases.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </datalist>
      <button type="submit" className="button primary" disabled={isPending}>
        {words.answer}
      </button>
    </Form>
  );
}
