import { useMutation, type UseMutationResult } from "@tanstack/react-query";
import { useState, type ReactElement } from "react";
import { askJson } from "../api/client.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Field } from "../shared/field.tsx";
import { addressOf } from "../shared/format.ts";
import { ProblemNote } from "../shared/problem.tsx";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import type { Message } from "../wire.ts";

/** How a message is answered. */
export type AnswerKind = "reply" | "forward";

/** Asks for a text (and, for forwarding, an address) and sends it; what the service refuses is said here. */
export function AnswerDialog(props: {
  readonly kind: AnswerKind;
  readonly message: Message;
  readonly onClose: () => void;
}): ReactElement {
  const { kind, message, onClose } = props;
  const [text, setText] = useState("");
  const [to, setTo] = useState("");
  const { mutate, error, isPending } = useAnswer(kind, message.id);
  const words = strings.answer;
  const onSuccess = (): void => {
    onClose();
    showToast({ text: words.sent });
  };
  return (
    <Dialog title={words.titles[kind]} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          mutate(kind === "forward" ? { to, text } : { text }, { onSuccess });
        }}
      >
        {kind === "reply" ? (
          <p className="soft">{words.goesTo(message.from.map(addressOf).join(", "))}</p>
        ) : (
          <Field
            label={words.to}
            type="email"
            required
            value={to}
            onChange={(event) => {
              setTo(event.target.value);
            }}
          />
        )}
        <TextField isRequired={kind === "reply"} value={text} onChange={setText} />
        <p className="faint small">{message.type === "SMS" ? words.phrases : words.verified}</p>
        {error !== null && <ProblemNote error={error} />}
        <div className="row">
          <button type="submit" className="button primary" disabled={isPending}>
            {words.send}
          </button>
          <button type="button" className="button" onClick={onClose}>
            {strings.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function TextField(props: {
  readonly isRequired: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactElement {
  const { isRequired, value, onChange } = props;
  return (
    <label className="field">
      <span>{strings.answer.text}</span>
      <textarea
        className="input"
        rows={6}
        required={isRequired}
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      />
    </label>
  );
}

interface Answer {
  readonly to?: string;
  readonly text: string;
}

function useAnswer(kind: AnswerKind, id: string): UseMutationResult<Message, Error, Answer> {
  return useMutation({
    mutationFn: async (body: Answer) => askJson<Message>(`/api/messages/${id}/${kind}`, { method: "POST", body }),
  });
}
