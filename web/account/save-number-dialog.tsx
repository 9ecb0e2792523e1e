import { useState, type ReactElement } from "react";
import { useAddNumber, useUpdateNumber, useReceiveSms, useRemoveNumber } from "../api/sending-permissions.ts";
import { useServers } from "../api/servers.ts";
import { useSmsProviders } from "../api/session.ts";
import { navigate } from "../navigation/location.tsx";
import { routePath } from "../navigation/routes.ts";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { Field, TextAreaField } from "../shared/field.tsx";
import { FormDialog } from "../shared/form.tsx";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { PhoneNumber } from "../wire.ts";
import { changeOf, draftOf, requestOf } from "./number-draft.ts";
import { NumberFields } from "./number-fields.tsx";

/** Dialog that assigns a new phone number to a server or, with `number`, changes that one. */
export function SaveNumberDialog(props: {
  readonly number: PhoneNumber | null;
  readonly onClose: () => void;
}): ReactElement {
  const { number, onClose } = props;
  const [draft, setDraft] = useState(() => draftOf(number));
  const { data: servers = [] } = useServers();
  const [provider] = useSmsProviders();
  const add = useAddNumber();
  const update = useUpdateNumber();
  const labels = pageStrings.numbers;
  const shown = {
    ...draft,
    server: draft.server === "" ? (servers[0]?.id ?? "") : draft.server,
    provider: draft.provider === "" ? (provider?.name ?? "") : draft.provider,
  };
  const done = (text: string) => (): void => {
    onClose();
    showToast({ text });
  };
  const submit = (): void => {
    if (number === null) {
      add.mutate(requestOf(shown), { onSuccess: (added) => done(labels.added(added.number))() });
    } else {
      update.mutate({ id: number.id, change: changeOf(shown) }, { onSuccess: done(labels.saved(number.number)) });
    }
  };
  return (
    <FormDialog
      title={number === null ? labels.add : labels.editTitle(number.number)}
      label={number === null ? labels.submit : labels.save}
      request={{ error: add.error ?? update.error, isPending: add.isPending || update.isPending }}
      onSubmit={submit}
      onClose={onClose}
    >
      <NumberFields number={number} draft={shown} servers={servers} onChange={setDraft} />
    </FormDialog>
  );
}

/** Dialog that stores an SMS as if an application had sent it to a number. */
export function ReceiveSmsDialog(props: { readonly to: string; readonly onClose: () => void }): ReactElement {
  const { onClose } = props;
  const labels = pageStrings.receiveSms;
  const [from, setFrom] = useState(labels.fromDefault);
  const [to, setTo] = useState(props.to);
  const [text, setText] = useState(labels.textDefault);
  const request = useReceiveSms();
  const submit = (): void => {
    request.mutate(
      { from, to, text },
      {
        onSuccess: ({ id, server }) => {
          onClose();
          const run = (): void => {
            navigate(routePath({ kind: "mail", server, message: id, tab: null }));
          };
          showToast({ text: labels.done, action: { label: labels.show, run } });
        },
      },
    );
  };
  return (
    <FormDialog
      title={labels.title}
      lead={labels.lead}
      label={labels.submit}
      request={request}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={labels.from} required value={from} onChange={setFrom} />
      <Field label={labels.to} type="tel" required value={to} onChange={setTo} />
      <TextAreaField label={labels.text} required maxLength={1600} rows={3} value={text} onChange={setText} />
    </FormDialog>
  );
}

/** Dialog that confirms the removal of a phone number. */
export function RemoveNumberDialog({
  number,
  onClose,
}: {
  readonly number: PhoneNumber;
  readonly onClose: () => void;
}): ReactElement {
  const action = useRemoveNumber();
  const labels = pageStrings.numbers;
  return (
    <ConfirmDialog
      title={labels.removeTitle(number.number)}
      lead={labels.removeLead}
      label={labels.remove}
      action={action}
      input={number.id}
      done={labels.removed}
      onClose={onClose}
    />
  );
}
