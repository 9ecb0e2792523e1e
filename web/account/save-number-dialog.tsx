import { useState, type ReactElement } from "react";
import { useAddNumber, useUpdateNumber } from "../api/sending-permissions.ts";
import { useServers } from "../api/servers.ts";
import { useSmsProviders } from "../api/session.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Form, FormActions } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
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
    <Dialog title={number === null ? labels.add : labels.editTitle(number.number)} onClose={onClose}>
      <Form className={layout.stack} onSubmit={submit}>
        <NumberFields number={number} draft={shown} servers={servers} onChange={setDraft} />
        <FormActions
          label={number === null ? labels.submit : labels.save}
          error={add.error ?? update.error}
          isPending={add.isPending || update.isPending}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
