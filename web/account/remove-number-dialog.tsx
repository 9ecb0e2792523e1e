import type { ReactElement } from "react";
import { useRemoveNumber } from "../api/sending-permissions.ts";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { PhoneNumber } from "../wire.ts";

/** Dialog that confirms the removal of a phone number. */
export function RemoveNumberDialog({
  number,
  onClose,
}: {
  readonly number: PhoneNumber;
  readonly onClose: () => void;
}): ReactElement {
  const { mutate, error } = useRemoveNumber();
  const labels = pageStrings.numbers;
  const onSuccess = (): void => {
    onClose();
    showToast({ text: labels.removed });
  };
  return (
    <ConfirmDialog
      title={labels.removeTitle(number.number)}
      lead={labels.removeLead}
      label={labels.remove}
      error={error}
      onClose={onClose}
      onConfirm={() => {
        mutate(number.id, { onSuccess });
      }}
    />
  );
}
