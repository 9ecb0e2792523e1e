import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useReplyAction } from "../../api/sending.ts";
import { ContentEditor } from "../../compose/content-editor.tsx";
import { contentOf, type Draft, emptyDraft, useSavedDraft } from "../../compose/draft.ts";
import { RecipientNotices } from "../../compose/recipients.tsx";
import { Button } from "../../shared/button.tsx";
import { Field } from "../../shared/field.tsx";
import { FormDialog } from "../../shared/form.tsx";
import { addressOf } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import type { Message } from "../../wire.ts";
import { showSent } from "./show-sent.ts";

const labels = pageStrings.reply;

/** Way to reply to an email. */
export type ReplyKind = "reply" | "forward";

interface ReplyDraft {
  readonly draft: Draft;
  readonly to: string;
  /** Null while the field is hidden. */
  readonly cc: string | null;
}

const emptyReply: ReplyDraft = { draft: emptyDraft, to: "", cc: null };

/** Dialog that replies to or forwards an email; errors of the service are shown in it. */
export function ReplyDialog(props: {
  readonly kind: ReplyKind;
  readonly message: Message;
  readonly onClose: () => void;
}): ReactElement {
  const { kind, message, onClose } = props;
  const [{ draft, to, cc }, change, remove] = useSavedDraft(`${kind} ${message.id}`, emptyReply);
  const request = useReplyAction(kind, message);
  const submit = async (): Promise<void> => {
    const content = await contentOf(draft);
    const fields = { ...content, ...(kind === "forward" && { to }), ...(cc !== null && cc !== "" && { cc }) };
    request.mutate(fields, {
      onSuccess: (sent) => {
        remove();
        onClose();
        showSent(sent);
      },
    });
  };
  return (
    <FormDialog
      title={labels.titles[kind]}
      label={labels.send}
      request={request}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Recipients message={message} to={kind === "forward" ? to : null} cc={cc} onChange={change} />
      <RecipientNotices addresses={[...(kind === "forward" ? [to] : message.from.map(addressOf)), cc ?? ""]} />
      <ContentEditor
        draft={draft}
        onChange={(changed) => change({ draft: changed })}
        rows={6}
        hasFiles={kind === "reply"}
      />
      {kind === "forward" && message.attachments.length > 0 && (
        <p className={clsx(layout.soft, layout.small)}>{labels.carried(message.attachments.length)}</p>
      )}
    </FormDialog>
  );
}

/** Recipients: the sender or, if `to` is not null, an input for another address. */
function Recipients(props: {
  readonly message: Message;
  readonly to: string | null;
  /** Null hides the field. */
  readonly cc: string | null;
  readonly onChange: (change: { readonly to?: string; readonly cc?: string }) => void;
}): ReactElement {
  const { message, to, cc, onChange } = props;
  return (
    <>
      {to === null ? (
        <p className={layout.soft}>{labels.goesTo(message.from.map(addressOf).join(", "))}</p>
      ) : (
        <Field label={labels.to} type="email" required value={to} onChange={(value) => onChange({ to: value })} />
      )}
      {cc === null ? (
        <Button variant="quiet" className={layout.start} onClick={() => onChange({ cc: "" })}>
          {labels.addCc}
        </Button>
      ) : (
        <Field label={labels.cc} type="email" value={cc} onChange={(value) => onChange({ cc: value })} />
      )}
    </>
  );
}
