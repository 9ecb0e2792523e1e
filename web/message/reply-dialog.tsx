import { useState, type ReactElement } from "react";
import { useReplyAction } from "../api/sending.ts";
import { ContentEditor } from "../compose/content-editor.tsx";
import { contentOf, emptyDraft } from "../compose/draft.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Field } from "../shared/field.tsx";
import { addressOf } from "../shared/format.ts";
import { Form, FormActions } from "../shared/form.tsx";
import { strings } from "../strings.ts";
import type { Message } from "../wire.ts";
import { showSent } from "./show-sent.ts";

/** How a mail is answered. */
export type ReplyKind = "reply" | "forward";

/** Asks for content (and, for forwarding, an address) and sends it; what the service refuses is said here. */
export function ReplyDialog(props: {
  readonly kind: ReplyKind;
  readonly message: Message;
  readonly onClose: () => void;
}): ReactElement {
  const { kind, message, onClose } = props;
  const [draft, setDraft] = useState(emptyDraft);
  const [to, setTo] = useState("");
  const [cc, setCc] = useState<string | null>(null);
  const { mutate, error, isPending } = useReplyAction(kind, message);
  const words = strings.answer;
  const submit = async (): Promise<void> => {
    const content = await contentOf(draft);
    const fields = { ...content, ...(kind === "forward" && { to }), ...(cc !== null && cc !== "" && { cc }) };
    mutate(fields, {
      onSuccess: (sent) => {
        onClose();
        showSent(sent);
      },
    });
  };
  return (
    <Dialog title={words.titles[kind]} onClose={onClose}>
      <Form className="stack" onSubmit={() => void submit()}>
        <Recipients message={message} to={kind === "forward" ? to : null} cc={cc} onTo={setTo} onCc={setCc} />
        <ContentEditor draft={draft} onChange={setDraft} rows={6} hasFiles={kind === "reply"} />
        {kind === "forward" && message.attachments.length > 0 && (
          <p className="soft small">{words.carried(message.attachments.length)}</p>
        )}
        <p className="faint small">{words.verified}</p>
        <FormActions label={words.send} error={error} isPending={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}

/** Whom the answer goes to: the sender, or (where `to` is not null) whoever is named. */
function Recipients(props: {
  readonly message: Message;
  readonly to: string | null;
  /** Null until somebody is to have a copy. */
  readonly cc: string | null;
  readonly onTo: (to: string) => void;
  readonly onCc: (cc: string) => void;
}): ReactElement {
  const { message, to, cc, onTo, onCc } = props;
  const words = strings.answer;
  return (
    <>
      {to === null ? (
        <p className="soft">{words.goesTo(message.from.map(addressOf).join(", "))}</p>
      ) : (
        <Field
          label={words.to}
          type="email"
          required
          value={to}
          onChange={(event) => {
            onTo(event.target.value);
          }}
        />
      )}
      {cc === null ? (
        <button
          type="button"
          className="button quiet start"
          onClick={() => {
            onCc("");
          }}
        >
          {words.addCc}
        </button>
      ) : (
        <Field
          label={words.cc}
          type="email"
          value={cc}
          onChange={(event) => {
            onCc(event.target.value);
          }}
        />
      )}
    </>
  );
}
