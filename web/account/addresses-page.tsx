import { clsx } from "clsx";
import { AtSign } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useAddAddress, useRemoveAddress, useVerifiedAddresses, useVerifyAddress } from "../api/sending-permissions.ts";
import { usePermissions } from "../api/permissions.ts";
import { useSession } from "../api/session.ts";
import badgeStyles from "../shared/badge.module.css";
import { Button } from "../shared/button.tsx";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Field } from "../shared/field.tsx";
import { Form, FormActions } from "../shared/form.tsx";
import { formatDay } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import pageStyles from "../shared/page.module.css";
import { Page, EmptyState } from "../shared/page.tsx";
import tableStyles from "../shared/table.module.css";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { VerifiedAddress } from "../wire.ts";

/** Verified and pending recipient addresses of the account. */
export function AddressesPage(): ReactElement {
  const { data: addresses, error, refetch } = useVerifiedAddresses(true);
  const { canManage } = usePermissions();
  const configured = useSession().data?.verified ?? [];
  const labels = pageStrings.addresses;
  return (
    <Page title={labels.title} lead={labels.lead}>
      <section className={clsx(pageStyles.panel, layout.stack)}>
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {addresses?.length === 0 && <EmptyState icon={AtSign} text={labels.none} hint={labels.noneHint} />}
        {addresses !== undefined && addresses.length > 0 && <AddressTable addresses={addresses} />}
        {configured.length > 0 && (
          <p>
            {labels.configured} <code className={layout.anywhere}>{configured.join(", ")}</code>
          </p>
        )}
      </section>
      {canManage && (
        <section className={pageStyles.panel}>
          <AddForm />
        </section>
      )}
    </Page>
  );
}

function AddForm(): ReactElement {
  const [address, setAddress] = useState("");
  const { mutate, error, isPending } = useAddAddress();
  const labels = pageStrings.addresses;
  const submit = (): void => {
    mutate(address, {
      onSuccess: () => {
        setAddress("");
        showToast({ text: labels.requested(address) });
      },
    });
  };
  return (
    <Form className={clsx(layout.stack, layout.tight)} onSubmit={submit}>
      <div className={clsx(layout.row, layout.wrap, layout.ends)}>
        <div className={layout.grow}>
          <Field
            label={labels.address}
            type="email"
            required
            value={address}
            onChange={(event) => {
              setAddress(event.target.value);
            }}
          />
        </div>
        <Button variant="primary" type="submit" disabled={isPending}>
          {labels.add}
        </Button>
      </div>
      <p className={clsx(layout.faint, layout.small)}>{labels.addHint}</p>
      {error !== null && <ErrorNotice error={error} />}
    </Form>
  );
}

type OpenDialog = { readonly kind: "verify" | "remove"; readonly address: VerifiedAddress } | null;

function AddressTable({ addresses }: { readonly addresses: readonly VerifiedAddress[] }): ReactElement {
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const labels = pageStrings.addresses;
  const close = (): void => {
    setDialog(null);
  };
  return (
    <div className={tableStyles.wideContent}>
      <table className={tableStyles.table}>
        <thead>
          <tr>
            <th scope="col">{labels.address}</th>
            <th scope="col">{labels.status}</th>
            <th scope="col">{labels.added}</th>
            <th aria-hidden />
          </tr>
        </thead>
        <tbody>
          {addresses.map((address) => (
            <AddressRow key={address.id} address={address} onOpen={setDialog} />
          ))}
        </tbody>
      </table>
      {dialog?.kind === "verify" && <VerifyDialog address={dialog.address} onClose={close} />}
      {dialog?.kind === "remove" && <RemoveDialog address={dialog.address} onClose={close} />}
    </div>
  );
}

function AddressRow(props: {
  readonly address: VerifiedAddress;
  readonly onOpen: (dialog: OpenDialog) => void;
}): ReactElement {
  const { address, onOpen } = props;
  const { canManage } = usePermissions();
  const labels = pageStrings.addresses;
  const isPending = address.status === "Pending";
  return (
    <tr>
      <td>{address.address}</td>
      <td>
        <span className={badgeStyles.badge} data-result={isPending ? "Warning" : "Pass"}>
          {labels.statuses[address.status]}
        </span>
      </td>
      <td className={layout.faint} data-label={labels.added}>
        {formatDay(address.createdAt)}
      </td>
      <td>
        {canManage && (
          <div className={clsx(layout.row, layout.actions)}>
            {isPending && (
              <Button
                onClick={() => {
                  onOpen({ kind: "verify", address });
                }}
              >
                {labels.approve}
              </Button>
            )}
            <Button
              variant="danger"
              onClick={() => {
                onOpen({ kind: "remove", address });
              }}
            >
              {labels.remove}
            </Button>
          </div>
        )}
      </td>
    </tr>
  );
}

interface AddressDialogProps {
  readonly address: VerifiedAddress;
  readonly onClose: () => void;
}

function VerifyDialog({ address, onClose }: AddressDialogProps): ReactElement {
  const [token, setToken] = useState("");
  const { mutate, error, isPending } = useVerifyAddress(address.id);
  const labels = pageStrings.addresses;
  const submit = (): void => {
    mutate(token.trim(), {
      onSuccess: () => {
        onClose();
        showToast({ text: labels.verified(address.address) });
      },
    });
  };
  return (
    <Dialog title={labels.approveTitle(address.address)} onClose={onClose}>
      <Form className={layout.stack} onSubmit={submit}>
        <p className={layout.soft}>{labels.approveLead}</p>
        <Field
          label={labels.token}
          required
          value={token}
          onChange={(event) => {
            setToken(event.target.value);
          }}
        />
        <FormActions label={labels.submit} error={error} isPending={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}

function RemoveDialog({ address, onClose }: AddressDialogProps): ReactElement {
  const { mutate, error } = useRemoveAddress();
  const labels = pageStrings.addresses;
  const onSuccess = (): void => {
    onClose();
    showToast({ text: labels.removed });
  };
  return (
    <ConfirmDialog
      title={labels.removeTitle(address.address)}
      lead={labels.removeLead}
      label={labels.remove}
      error={error}
      onClose={onClose}
      onConfirm={() => {
        mutate(address.id, { onSuccess });
      }}
    />
  );
}
