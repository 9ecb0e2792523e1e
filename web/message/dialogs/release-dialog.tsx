import { clsx } from "clsx";
import { useId, useState, type ReactElement } from "react";
import { useRelease } from "../../api/sending.ts";
import { useVerifiedAddresses } from "../../api/sending-permissions.ts";
import { useSession } from "../../api/session.ts";
import { RecipientNotices } from "../../compose/recipient-notice.tsx";
import { Dialog } from "../../shared/dialog.tsx";
import { Field } from "../../shared/field.tsx";
import { Form, FormActions } from "../../shared/form.tsx";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import { strings } from "../../strings.ts";
import type { Message } from "../../wire.ts";
import { showSent } from "./show-sent.ts";

/** Dialog that sends an email, unchanged, to verified addresses. */
export function ReleaseDialog(props: { readonly message: Message; readonly onClose: () => void }): ReactElement {
  const { message, onClose } = props;
  const { mutate, error, isPending } = useRelease(message);
  const { data: session } = useSession();
  const { data: known } = useVerifiedAddresses(session?.isAccount === true);
  const [text, setText] = useState("");
  const listId = useId();
  const addresses = text
    .split(",")
    .map((address) => address.trim())
    .filter((address) => address !== "");
  const labels = pageStrings.release;
  return (
    <Dialog title={labels.title} onClose={onClose}>
      <Form
        className={layout.stack}
        onSubmit={() => {
          mutate(addresses, {
            onSuccess: (sent) => {
              onClose();
              showSent(sent, labels.done);
            },
          });
        }}
      >
        <p className={layout.soft}>{labels.lead}</p>
        <Field
          label={labels.to}
          type="email"
          multiple
          required
          list={listId}
          placeholder={labels.hint}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
          }}
        />
        <datalist id={listId}>
          {known
            ?.filter(({ status }) => status === "Verified")
            .map(({ id, address }) => (
              <option key={id}>{address}</option>
            ))}
        </datalist>
        <RecipientNotices addresses={addresses} />
        <p className={clsx(layout.faint, layout.small)}>{strings.reply.verified}</p>
        <FormActions label={labels.submit} error={error} isPending={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
