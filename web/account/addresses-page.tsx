import { clsx } from "clsx";
import { AtSign } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useAddAddress, useRemoveAddress, useVerifiedAddresses, useVerifyAddress } from "../api/sending.ts";
import { usePermissions } from "../api/permissions.ts";
import { useSession } from "../api/session.ts";
import badgeStyles from "../shared/badge.module.css";
import { Button } from "../shared/button.tsx";
import { ConfirmDialog, Form, FormDialog, whenDone } from "../shared/form.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import { Field } from "../shared/field.tsx";
import { formatDay } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { EmptyState, Page, Panel } from "../shared/page.tsx";
import { Table } from "../shared/table.tsx";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { VerifiedAddress } from "../wire.ts";

const labels = pageStrings.addresses;

/** Verified and pending recipient addresses of the account. */
export function AddressesPage(): ReactElement {
  const { data: addresses, error, refetch } = useVerifiedAddresses(true);
  const { canManage } = usePermissions();
  const configured = useSession().data?.verified ?? [];
  return (
    <Page title={labels.title} lead={labels.lead}>
      <Panel className={layout.stack}>
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {addresses?.length === 0 && configured.length === 0 && <EmptyState icon={AtSign} text={labels.none} />}
        {addresses !== undefined && addresses.length > 0 && <AddressTable addresses={addresses} />}
        {configured.length > 0 && (
          <p>
            {labels.configured} <code className={layout.anywhere}>{configured.join(", ")}</code>
          </p>
        )}
      </Panel>
      {canManage && (
        <Panel>
          <AddForm />
        </Panel>
      )}
    </Page>
  );
}

function AddForm(): ReactElement {
  const [address, setAddress] = useState("");
  const { mutate, error, isPending } = useAddAddress();
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
          <Field label={labels.address} type="email" required value={address} onChange={setAddress} />
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
  const close = (): void => setDialog(null);
  return (
    <>
      <Table heads={[labels.address, labels.status, labels.added, ""]}>
        {addresses.map((address) => (
          <AddressRow key={address.id} address={address} onOpen={setDialog} />
        ))}
      </Table>
      {dialog?.kind === "verify" && <VerifyDialog address={dialog.address} onClose={close} />}
      {dialog?.kind === "remove" && <RemoveDialog address={dialog.address} onClose={close} />}
    </>
  );
}

function AddressRow(props: {
  readonly address: VerifiedAddress;
  readonly onOpen: (dialog: OpenDialog) => void;
}): ReactElement {
  const { address, onOpen } = props;
  const { canManage } = usePermissions();
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
            {isPending && <Button onClick={() => onOpen({ kind: "verify", address })}>{labels.approve}</Button>}
            <Button variant="danger" onClick={() => onOpen({ kind: "remove", address })}>
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
  const request = useVerifyAddress(address.id);
  const submit = (): void => {
    request.mutate(token.trim(), whenDone(labels.verified(address.address), onClose));
  };
  return (
    <FormDialog
      title={labels.approveTitle(address.address)}
      lead={labels.approveLead}
      label={labels.submit}
      request={request}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={labels.token} required value={token} onChange={setToken} />
    </FormDialog>
  );
}

function RemoveDialog({ address, onClose }: AddressDialogProps): ReactElement {
  const action = useRemoveAddress();
  return (
    <ConfirmDialog
      title={labels.removeTitle(address.address)}
      lead={labels.removeLead}
      label={labels.remove}
      action={action}
      input={address.id}
      done={labels.removed}
      onClose={onClose}
    />
  );
}
