import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useReplyAction } from "../../api/sending.ts";
import { Button } from "../../shared/button.tsx";
import errorNoticeStyles from "../../shared/error-notice.module.css";
import { ErrorNotice } from "../../shared/error-notice.tsx";
import fieldStyles from "../../shared/field.module.css";
import { Form } from "../../shared/form.tsx";
import { addressOf } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import { showToast } from "../../shared/toast.tsx";
import { strings } from "../../strings.ts";
import type { Conversation, Turn } from "../../wire.ts";
import styles from "./conversation-view.module.css";

/** Most phrases with a button; others are chosen from a list. */
const shownPhrasesMax = 12;
const phrasesId = "approved-phrases";

/** Sends an approved phrase as SMS reply, or explains why replies are disabled. */
export function PhrasePicker(props: {
  readonly server: string;
  readonly turns: readonly Turn[];
  readonly answers: NonNullable<Conversation["answers"]>;
}): ReactElement | null {
  const { server, turns, answers } = props;
  const lastReceived = turns.findLast((turn) => turn.direction === "Received");
  const { mutate, error, isPending } = useReplyAction("reply", { id: lastReceived?.id ?? "", server });
  const labels = strings.conversation;
  if (lastReceived === undefined) return null;
  if (!answers.hasWebhook)
    return <p className={errorNoticeStyles.notice}>{labels.noWebhook(lastReceived.to.map(addressOf).join(", "))}</p>;
  const send = (text: string): void => {
    mutate({ text }, { onSuccess: () => showToast({ text: labels.sent(text) }) });
  };
  return (
    <div className={clsx(styles.phrasePicker, layout.stack, layout.tight)}>
      <div className={clsx(layout.row, layout.wrap)} role="group" aria-label={labels.phrases}>
        {answers.phrases.slice(0, shownPhrasesMax).map((phrase) => (
          <button
            key={phrase}
            type="button"
            className={styles.phrase}
            disabled={isPending}
            aria-label={labels.send(phrase)}
            onClick={() => {
              send(phrase);
            }}
          >
            {phrase}
          </button>
        ))}
      </div>
      {answers.phrases.length > shownPhrasesMax && (
        <MorePhrases phrases={answers.phrases} isPending={isPending} onSend={send} />
      )}
      {error !== null && <ErrorNotice error={error} />}
      <p className={clsx(layout.faint, layout.small)}>{labels.onlyPhrases}</p>
    </div>
  );
}

function MorePhrases(props: {
  readonly phrases: readonly string[];
  readonly isPending: boolean;
  readonly onSend: (phrase: string) => void;
}): ReactElement {
  const { phrases, isPending, onSend } = props;
  const [phrase, setPhrase] = useState("");
  const labels = strings.conversation;
  const submit = (): void => {
    onSend(phrase);
    setPhrase("");
  };
  return (
    <Form className={layout.row} onSubmit={submit}>
      <input
        className={fieldStyles.input}
        list={phrasesId}
        required
        autoComplete="off"
        aria-label={labels.replyWith}
        placeholder={labels.replyWith}
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
      <Button variant="primary" type="submit" disabled={isPending}>
        {labels.reply}
      </Button>
    </Form>
  );
}
