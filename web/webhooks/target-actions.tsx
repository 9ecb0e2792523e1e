import { useState, type ReactElement } from "react";
import {
  memberOf,
  useCallbackFormats,
  usePingWebhook,
  useRemoveTarget,
  useRotateTarget,
  useSaveTarget,
  type Target,
  type TargetCollection,
} from "../api/callbacks.ts";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Menu, type MenuItem } from "../shared/menu.tsx";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import { describeTarget } from "./describe-target.ts";
import { SaveTargetDialog } from "./save-target-dialog.tsx";
import { TargetSecret } from "./target-secret.tsx";

interface ActionProps {
  readonly target: Target;
  readonly server: string;
  readonly collection: TargetCollection;
}

/** Menu with the actions of a target, and their dialogs. */
export function TargetActions(props: ActionProps): ReactElement {
  const { target, server, collection } = props;
  const [dialog, setDialog] = useState<"edit" | "remove" | null>(null);
  const { mutate: save, error: saveError } = useSaveTarget(server, collection);
  const { mutate: rotate, data: rotated, error: rotateError, reset } = useRotateTarget(server, collection);
  const { mutate: ping, error: pingError } = usePingWebhook(server);
  const labels = pageStrings.webhooks;
  const member = memberOf(target);
  const { data: formats } = useCallbackFormats();
  const { name } = describeTarget(target, formats);
  const close = (): void => {
    setDialog(null);
  };
  const isActive = target.state === "active";
  const items: readonly MenuItem[] = [
    { name: labels.edit, onSelect: () => setDialog("edit") },
    {
      name: isActive ? labels.pause : labels.resume,
      onSelect: () => save({ member, body: { state: isActive ? "paused" : "active" } }),
    },
    ...(collection === "webhooks"
      ? [
          {
            name: labels.ping,
            onSelect: () => ping(target.id, { onSuccess: () => showToast({ text: labels.pinged }) }),
          },
        ]
      : []),
    { name: labels.rotate, onSelect: () => rotate(member) },
    { name: labels.remove, onSelect: () => setDialog("remove") },
  ];
  const error = saveError ?? rotateError ?? pingError;
  return (
    <>
      {error !== null && <ErrorNotice error={error} />}
      <Menu name={labels.actions(name)} items={items} />
      {dialog === "edit" && <SaveTargetDialog {...props} onClose={close} />}
      {dialog === "remove" && <RemoveTargetDialog {...props} name={name} onClose={close} />}
      {rotated !== undefined && (
        <Dialog title={labels.secretTitle} onClose={reset}>
          <TargetSecret target={rotated} onClose={reset} />
        </Dialog>
      )}
    </>
  );
}

function RemoveTargetDialog(
  props: ActionProps & { readonly name: string; readonly onClose: () => void },
): ReactElement {
  const { target, server, collection, name, onClose } = props;
  const { mutate, error } = useRemoveTarget(server, collection);
  const labels = pageStrings.webhooks;
  const onSuccess = (): void => {
    onClose();
    showToast({ text: labels.removed });
  };
  return (
    <ConfirmDialog
      title={labels.removeTitle(name)}
      lead={labels.removeLead}
      label={labels.removeSubmit}
      error={error}
      onClose={onClose}
      onConfirm={() => {
        mutate(memberOf(target), { onSuccess });
      }}
    />
  );
}
