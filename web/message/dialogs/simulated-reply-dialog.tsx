import { useState, type ReactElement, type ReactNode } from "react";
import { useReplyAction, type ReplyFieldsByKind } from "../../api/sending.ts";
import { Field, optionsOf, SelectField, TextAreaField } from "../../shared/field.tsx";
import { FormDialog } from "../../shared/form.tsx";
import { pageStrings } from "../../page-strings.ts";
import type { Message } from "../../wire.ts";
import { showSent } from "./show-sent.ts";

const labels = pageStrings.simulatedReply;

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
        onChange={setDiagnostic}
      />
      <SelectField label={labels.returns} value={returns} options={optionsOf(labels.returned)} onChange={setReturns} />
    </SimulatedReplyForm>
  );
}

type FeedbackType = keyof typeof pageStrings.simulatedReply.feedbacks;

function ComplaintForm(props: SimulatedReplyProps): ReactElement {
  const [feedbackType, setFeedbackType] = useState<FeedbackType>("abuse");
  return (
    <SimulatedReplyForm {...props} kind="complaint" fields={{ feedbackType }}>
      <SelectField
        label={labels.feedback}
        value={feedbackType}
        options={optionsOf(labels.feedbacks)}
        onChange={setFeedbackType}
      />
    </SimulatedReplyForm>
  );
}

function AutoreplyForm(props: SimulatedReplyProps): ReactElement {
  const [text, setText] = useState("");
  return (
    <SimulatedReplyForm {...props} kind="autoreply" fields={text === "" ? {} : { text }}>
      <TextAreaField label={labels.text} rows={4} placeholder={labels.textHint} value={text} onChange={setText} />
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
  const request = useReplyAction(kind, message);
  const submit = (): void => {
    request.mutate(fields, {
      onSuccess: (sent) => {
        onClose();
        showSent(sent, labels.sent[kind]);
      },
    });
  };
  return (
    <FormDialog
      title={labels.headings[kind]}
      lead={labels.leads[kind]}
      label={labels.submit}
      request={request}
      onSubmit={submit}
      onClose={onClose}
    >
      {children}
    </FormDialog>
  );
}
