import { useState, type ReactElement, type ReactNode } from "react";
import { useReplyAction, type ReplyFieldsByKind } from "../../api/sending.ts";
import { Dialog } from "../../shared/dialog.tsx";
import fieldStyles from "../../shared/field.module.css";
import { Field, SelectField } from "../../shared/field.tsx";
import { Form, FormActions } from "../../shared/form.tsx";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import type { Message } from "../../wire.ts";
import { showSent } from "./show-sent.ts";

/** A reply that mail systems send automatically. */
export type SimulatedReplyKind = "bounce" | "complaint" | "autoreply";

interface SimulatedReplyProps {
  readonly message: Message;
  readonly onClose: () => void;
}

/** Dialog that sends a simulated bounce, complaint or auto-reply. */
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
  const labels = pageStrings.simulatedReply;
  const [, action = "failed"] = labels.reasons.find(([one]) => one === status) ?? [];
  return (
    <SimulatedReplyForm
      {...props}
      kind="bounce"
      fields={{ status, action, returns, ...(diagnostic !== "" && { diagnostic }) }}
    >
      <SelectField
        label={labels.reason}
        value={status}
        options={labels.reasons.map(([one, , text]) => [one, text])}
        onChange={setStatus}
      />
      <Field
        label={labels.diagnostic}
        placeholder={labels.diagnosticHint}
        value={diagnostic}
        onChange={(event) => {
          setDiagnostic(event.target.value);
        }}
      />
      <SelectField
        label={labels.returns}
        value={returns}
        options={Object.entries(labels.returned)}
        onChange={(value) => {
          setReturns(value === "headers" ? value : "full");
        }}
      />
    </SimulatedReplyForm>
  );
}

type FeedbackType = keyof typeof pageStrings.simulatedReply.feedbacks;

function ComplaintForm(props: SimulatedReplyProps): ReactElement {
  const [feedbackType, setFeedbackType] = useState<FeedbackType>("abuse");
  const labels = pageStrings.simulatedReply;
  return (
    <SimulatedReplyForm {...props} kind="complaint" fields={{ feedbackType }}>
      <SelectField
        label={labels.feedback}
        value={feedbackType}
        options={Object.entries(labels.feedbacks)}
        onChange={(value) => {
          setFeedbackType(value as FeedbackType);
        }}
      />
    </SimulatedReplyForm>
  );
}

function AutoreplyForm(props: SimulatedReplyProps): ReactElement {
  const [text, setText] = useState("");
  const labels = pageStrings.simulatedReply;
  return (
    <SimulatedReplyForm {...props} kind="autoreply" fields={text === "" ? {} : { text }}>
      <label className={fieldStyles.field}>
        <span>{labels.text}</span>
        <textarea
          className={fieldStyles.input}
          rows={4}
          placeholder={labels.textHint}
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
  const labels = pageStrings.simulatedReply;
  const submit = (): void => {
    mutate(fields, {
      onSuccess: (sent) => {
        onClose();
        showSent(sent, labels.sent[kind]);
      },
    });
  };
  return (
    <Dialog title={labels.headings[kind]} onClose={onClose}>
      <Form className={layout.stack} onSubmit={submit}>
        <p className={layout.soft}>{labels.leads[kind]}</p>
        {children}
        <FormActions label={labels.submit} error={error} isPending={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
