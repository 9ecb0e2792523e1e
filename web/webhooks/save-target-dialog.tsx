import { useState, type ReactElement } from "react";
import { memberOf, useCallbackFormats, useSaveTarget, type Target, type TargetCollection } from "../api/callbacks.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Form, FormActions } from "../shared/form.tsx";
import { Field } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import { describeTarget } from "./describe-target.ts";
import { FormatFields } from "./format-fields.tsx";
import { draftOf, requestOf, type TargetDraft } from "./target-draft.ts";
import { hasSecret, TargetSecret } from "./target-secret.tsx";
import { WebhookFields } from "./webhook-fields.tsx";

/** Dialog that creates a target or, with one, changes it; shows the secret of a new one. */
export function SaveTargetDialog(props: {
  readonly server: string;
  readonly collection: TargetCollection;
  readonly target: Target | null;
  readonly onClose: () => void;
}): ReactElement {
  const { server, collection, target, onClose } = props;
  const { mutate, data: saved, error, isPending } = useSaveTarget(server, collection);
  const labels = pageStrings.webhooks;
  const { data: formats } = useCallbackFormats();
  const title = target === null ? labels.sections[collection].add : describeTarget(target, formats).name;
  return (
    <Dialog title={title} onClose={onClose}>
      {saved !== undefined && target === null && hasSecret(saved) ? (
        <TargetSecret target={saved} onClose={onClose} />
      ) : (
        <TargetForm
          collection={collection}
          target={target}
          error={error}
          isPending={isPending}
          onClose={onClose}
          onSubmit={(member, body) => {
            mutate(
              { member, body },
              {
                onSuccess: (result) => {
                  if (target !== null || !hasSecret(result)) onClose();
                },
              },
            );
          }}
        />
      )}
    </Dialog>
  );
}

function TargetForm(props: {
  readonly collection: TargetCollection;
  readonly target: Target | null;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onClose: () => void;
  readonly onSubmit: (member: string | null, body: Readonly<Record<string, unknown>>) => void;
}): ReactElement {
  const { collection, target, error, isPending, onClose, onSubmit } = props;
  const { data: formats, error: formatsError } = useCallbackFormats();
  const [draft, setDraft] = useState(() => draftOf(target));
  const labels = pageStrings.webhooks;
  const hasEvents = collection === "event-webhooks";
  const known = (hasEvents ? formats?.events : formats?.inbound) ?? [];
  const chosen: TargetDraft = { ...draft, format: draft.format || (known[0]?.name ?? "") };
  return (
    <Form
      className={layout.stack}
      onSubmit={() => {
        onSubmit(memberToSave(collection, chosen, target), requestOf(collection, chosen, target));
      }}
    >
      <AddressFields hasPattern={collection === "inbound-routes"} draft={draft} onChange={setDraft} />
      {collection === "webhooks" ? (
        <WebhookFields draft={draft} onChange={setDraft} />
      ) : (
        <FormatFields
          label={hasEvents ? labels.provider : labels.shape}
          formats={target === null ? known : known.filter(({ name }) => name === chosen.format)}
          draft={chosen}
          onChange={setDraft}
        />
      )}
      <FormActions label={labels.submit} error={error ?? formatsError} isPending={isPending} onClose={onClose} />
    </Form>
  );
}

/** Returns the last segment of the path that is saved to; null for a target whose id the service makes. */
function memberToSave(collection: TargetCollection, draft: TargetDraft, target: Target | null): string | null {
  if (target !== null) return memberOf(target);
  return collection === "event-webhooks" ? draft.format : null;
}

function AddressFields(props: {
  readonly hasPattern: boolean;
  readonly draft: TargetDraft;
  readonly onChange: (draft: TargetDraft) => void;
}): ReactElement {
  const { hasPattern, draft, onChange } = props;
  const labels = pageStrings.webhooks;
  const field = (name: "pattern" | "url"): Parameters<typeof Field>[0] => ({
    label: labels[name],
    placeholder: labels[`${name}Hint`],
    required: true,
    value: draft[name],
    onChange: (event) => {
      onChange({ ...draft, [name]: event.target.value });
    },
  });
  return (
    <>
      {hasPattern && <Field {...field("pattern")} />}
      <Field {...field("url")} type="url" />
    </>
  );
}
