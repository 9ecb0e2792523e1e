import { useId, useState, type ReactElement } from "react";
import { useRelease, useVerifiedAddresses } from "../../api/sending.ts";
import { useSession } from "../../api/session.ts";
import { RecipientNotices } from "../../compose/recipients.tsx";
import { Field } from "../../shared/field.tsx";
import { FormDialog } from "../../shared/form.tsx";
import { pageStrings } from "../../page-strings.ts";
import type { Message } from "../../wire.ts";
import { showSent } from "./show-sent.ts";

/** Dialog that sends an email, unchanged, to verified addresses. */
export function ReleaseDialog(props: { readonly message: Message; readonly onClose: () => void }): ReactElement {
  const { message, onClose } = props;
  const request = useRelease(message);
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
    <FormDialog
      title={labels.title}
      lead={labels.lead}
      label={labels.submit}
      request={request}
      onSubmit={() => {
        request.mutate(addresses, {
          onSuccess: (sent) => {
            onClose();
            showSent(sent, labels.done);
          },
        });
      }}
      onClose={onClose}
    >
      <Field
        label={labels.to}
        type="email"
        multiple
        required
        list={listId}
        placeholder={labels.hint}
        value={text}
        onChange={setText}
      />
      <datalist id={listId}>
        {known
          ?.filter(({ status }) => status === "Verified")
          .map(({ id, address }) => (
            <option key={id}>{address}</option>
          ))}
      </datalist>
      <RecipientNotices addresses={addresses} />
    </FormDialog>
  );
}
