/** ReplyFieldsByKind as the world would give them: bounces, complaints, out-of-office notes. */
import { useState, type ReactElement, type ReactNode } from "react";
import { useReplyAction, type ReplyFieldsByKind } from "../api/sending.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Field, SelectField } from "../shared/field.tsx";
import { Form, FormActions } from "../shared/form.tsx";
import { strings } from "../strings.ts";
import type { Message } from "../wire.ts";
import { showSent } from "./show-sent.ts";

/** An answer of the world. */
export type SimulatedReplyKind = "bounce" | "complaint" | "autoreply";

interface SimulatedReplyProps {
  readonly message: Message;
  readonly onClose: () => void;
}

/** Asks what the answer shall be like, and sends it. */
export function SimulatedReplyDialog({
  kind,
  ...props
}: SimulatedReplyProps & { readonly kind: SimulatedReplyKind }): ReactElement {
  if (kind === "bounce") return <BounceForm {...props} />;
  return kind === "complaint" ? <ComplaintForm {...props} /> : <AutoreplyForm {...props} />;
}

function BounceForm(props: SimulatedReplyProps): ReactElement {
  const [status, setStatus] = useState("5.1.1");
  const [diagnostic, setDiagnostic] = useState("");
  const [returns, setReturns] = useState<"full" | "headers">("full");
  const words = strings.world;
  const [, action = "failed"] = words.reasons.find(([one]) => one === status) ?? [];
  return (
    <SimulatedReplyForm
      {...props}
      kind="bounce"
      fields={{ status, action, returns, ...(diagnostic !== "" && { diagnostic }) }}
    >
      <SelectField
        label={words.reason}
        value={status}
        options={words.reasons.map(([one, , text]) => [one, text])}
        onChange={setStatus}
      />
      <Field
        label={words.diagnostic}
        placeholder={words.diagnosticHint}
        value={diagnostic}
        onChange={(event) => {
          setDiagnostic(event.target.value);
        }}
      />
      <SelectField
        label={words.returns}
        value={returns}
        options={Object.entries(words.returned)}
        onChange={(value) => {
          setReturns(value === "headers" ? value : "full");
        }}
      />
    </SimulatedReplyForm>
  );
}

type FeedbackType = keyof typeof strings.world.feedbacks;

function ComplaintForm(props: SimulatedReplyProps): ReactElement {
  const [feedbackType, setFeedbackType] = useState<FeedbackType>("abuse");
  const words = strings.world;
  return (
    <SimulatedReplyForm {...props} kind="complaint" fields={{ feedbackType }}>
      <SelectField
        label={words.feedback}
        value={feedbackType}
        options={Object.entries(words.feedbacks)}
        onChange={(value) => {
          setFeedbackType(value as FeedbackType);
        }}
      />
    </SimulatedReplyForm>
  );
}

function AutoreplyForm(props: SimulatedReplyProps): ReactElement {
  const [text, setText] = useState("");
  const words = strings.world;
  return (
    <SimulatedReplyForm {...props} kind="autoreply" fields={text === "" ? {} : { text }}>
      <label className="field">
        <span>{words.text}</span>
        <textarea
          className="input"
          rows={4}
          placeholder={words.textHint}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
          }}
        />
      </label>
    </SimulatedReplyForm>
  );
}

function SimulatedReplyForm<Kind extends SimulatedReplyKind>(
  props: SimulatedReplyProps & {
    readonly kind: Kind;
    readonly fields: ReplyFieldsByKind[Kind];
    readonly children: ReactNode;
  },
): ReactElement {
  const { kind, message, fields, onClose, children } = props;
  const { mutate, error, isPending } = useReplyAction(kind, message);
  const words = strings.world;
  const submit = (): void => {
    mutate(fields, {
      onSuccess: (sent) => {
        onClose();
        showSent(sent, words.sent[kind]);
      },
    });
  };
  return (
    <Dialog title={words.headings[kind]} onClose={onClose}>
      <Form className="stack" onSubmit={submit}>
        <p className="soft">{words.leads[kind]}</p>
        {children}
        <FormActions label={words.submit} error={error} isPending={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
