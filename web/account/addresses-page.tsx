import { AtSign } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useAddAddress, useRemoveAddress, useVerifiedAddresses, useVerifyAddress } from "../api/sending-permissions.ts";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { Field } from "../shared/field.tsx";
import { formatDay } from "../shared/format.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { showToast } from "../shared/toast.tsx";
import { Form, FormActions } from "../shared/form.tsx";
import { strings } from "../strings.ts";
import type { VerifiedAddress } from "../wire.ts";
import { Page, EmptyState } from "../shared/page.tsx";

/** Whom mail may leave to: those who agreed, and those who were asked. */
export function AddressesPage(): ReactElement {
  const { data: addresses, error } = useVerifiedAddresses(true);
  const words = strings.addresses;
  return (
    <Page title={words.title} lead={words.lead}>
      <section className="panel stack">
        {error !== null && <ErrorNotice error={error} />}
        {addresses?.length === 0 && <EmptyState icon={AtSign} text={words.none} hint={words.noneHint} />}
        {addresses !== undefined && addresses.length > 0 && <AddressTable addresses={addresses} />}
      </section>
      <section className="panel">
        <AddForm />
      </section>
    </Page>
  );
}

function AddForm(): ReactElement {
  const [address, setAddress] = useState("");
  const { mutate, error, isPending } = useAddAddress();
  const words = strings.addresses;
  const submit = (): void => {
    mutate(address, {
      onSuccess: () => {
        setAddress("");
        showToast({ text: words.asked(address) });
      },
    });
  };
  return (
    <Form className="stack tight" onSubmit={submit}>
      <div className="row wrap ends">
        <div className="grow">
          <Field
            label={words.address}
            type="email"
            required
            value={address}
            onChange={(event) => {
              setAddress(event.target.value);
            }}
          />
        </div>
        <button type="submit" className="button primary" disabled={isPending}>
          {words.add}
        </button>
      </div>
      <p className="faint small">{words.addHint}</p>
      {error !== null && <ErrorNotice error={error} />}
    </Form>
  );
}

type Question = { readonly kind: "approve" | "remove"; readonly address: VerifiedAddress } | null;

function AddressTable({ addresses }: { readonly addresses: readonly VerifiedAddress[] }): ReactElement {
  const [question, setQuestion] = useState<Question>(null);
  const words = strings.addresses;
  const close = (): void => {
    setQuestion(null);
  };
  return (
    <div className="wide-content">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{words.address}</th>
            <th scope="col">{words.status}</th>
            <th scope="col">{words.added}</th>
            <th aria-hidden />
          </tr>
        </thead>
        <tbody>
          {addresses.map((address) => (
            <AddressRow key={address.id} address={address} onAsk={setQuestion} />
          ))}
        </tbody>
      </table>
      {question?.kind === "approve" && <ApproveDialog address={question.address} onClose={close} />}
      {question?.kind === "remove" && <RemoveDialog address={question.address} onClose={close} />}
    </div>
  );
}

function AddressRow(props: {
  readonly address: VerifiedAddress;
  readonly onAsk: (question: Question) => void;
}): ReactElement {
  const { address, onAsk } = props;
  const words = strings.addresses;
  const isPending = address.status === "Pending";
  return (
    <tr>
      <td>{address.address}</td>
      <td>
        <span className="badge" data-result={isPending ? "Warning" : "Pass"}>
          {words.statuses[address.status]}
        </span>
      </td>
      <td className="faint">{formatDay(address.createdAt)}</td>
      <td>
        <div className="row actions">
          {isPending && (
            <button
              type="button"
              className="button"
              onClick={() => {
                onAsk({ kind: "approve", address });
              }}
            >
              {words.approve}
            </button>
          )}
          <button
            type="button"
            className="button danger"
            onClick={() => {
              onAsk({ kind: "remove", address });
            }}
          >
            {words.remove}
          </button>
        </div>
      </td>
    </tr>
  );
}

interface QuestionProps {
  readonly address: VerifiedAddress;
  readonly onClose: () => void;
}

function ApproveDialog({ address, onClose }: QuestionProps): ReactElement {
  const [token, setToken] = useState("");
  const { mutate, error, isPending } = useVerifyAddress(address.id);
  const words = strings.addresses;
  const submit = (): void => {
    mutate(token.trim(), {
      onSuccess: () => {
        onClose();
        showToast({ text: words.verified(address.address) });
      },
    });
  };
  return (
    <Dialog title={words.approveTitle(address.address)} onClose={onClose}>
      <Form className="stack" onSubmit={submit}>
        <p className="soft">{words.approveLead}</p>
        <Field
          label={words.token}
          required
          value={token}
          onChange={(event) => {
            setToken(event.target.value);
          }}
        />
        <FormActions label={words.submit} error={error} isPending={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}

function RemoveDialog({ address, onClose }: QuestionProps): ReactElement {
  const { mutate, error } = useRemoveAddress();
  const words = strings.addresses;
  const onSuccess = (): void => {
    onClose();
    showToast({ text: words.removed });
  };
  return (
    <ConfirmDialog
      title={words.removeTitle(address.address)}
      lead={words.removeLead}
      label={words.remove}
      error={error}
      onClose={onClose}
      onConfirm={() => {
        mutate(address.id, { onSuccess });
      }}
    />
  );
}
