import { Plus, Smartphone } from "lucide-react";
import { useState, type ReactElement } from "react";
import { usePhoneNumbers, useRemoveNumber } from "../api/sending-permissions.ts";
import { useServers } from "../api/servers.ts";
import { useSmsProviders } from "../api/session.ts";
import { Link } from "../navigation/location.tsx";
import { routePath } from "../navigation/place.ts";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import type { PhoneNumber } from "../wire.ts";
import { Page, EmptyState } from "../shared/page.tsx";
import { AddNumberDialog } from "./add-number-dialog.tsx";

/** The numbers of all servers. */
export function NumbersPage(): ReactElement {
  const { data: numbers, error } = usePhoneNumbers();
  const [isAdding, setAdding] = useState(false);
  const words = strings.numbers;
  return (
    <Page title={words.title} lead={words.lead}>
      <section className="panel stack">
        {error !== null && <ErrorNotice error={error} />}
        {numbers?.length === 0 && <EmptyState icon={Smartphone} text={words.none} hint={words.noneHint} />}
        {numbers !== undefined && numbers.length > 0 && <NumberTable numbers={numbers} />}
        <div>
          <button
            type="button"
            className="button"
            onClick={() => {
              setAdding(true);
            }}
          >
            <Plus size={15} aria-hidden />
            {words.add}
          </button>
        </div>
      </section>
      {isAdding && (
        <AddNumberDialog
          onClose={() => {
            setAdding(false);
          }}
        />
      )}
    </Page>
  );
}

function NumberTable({ numbers }: { readonly numbers: readonly PhoneNumber[] }): ReactElement {
  const [removed, setRemoved] = useState<PhoneNumber | null>(null);
  const words = strings.numbers;
  return (
    <div className="wide-content">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{words.number}</th>
            <th scope="col">{words.server}</th>
            <th scope="col">{words.provider}</th>
            <th scope="col">{words.webhookHead}</th>
            <th aria-hidden />
          </tr>
        </thead>
        <tbody>
          {numbers.map((number) => (
            <NumberRow key={number.id} number={number} onRemove={setRemoved} />
          ))}
        </tbody>
      </table>
      {removed !== null && (
        <RemoveNumberDialog
          number={removed}
          onClose={() => {
            setRemoved(null);
          }}
        />
      )}
    </div>
  );
}

function NumberRow(props: {
  readonly number: PhoneNumber;
  readonly onRemove: (number: PhoneNumber) => void;
}): ReactElement {
  const { number, onRemove } = props;
  const { data: servers } = useServers();
  const smsProviders = useSmsProviders();
  const words = strings.numbers;
  const { server } = number;
  return (
    <tr>
      <td className="mono">{number.number}</td>
      <td>
        <Link href={routePath({ kind: "mail", server, message: null, tab: null })}>
          {servers?.find(({ id }) => id === server)?.name ?? server}
        </Link>
      </td>
      <td>
        <span className="row">
          {smsProviders.find(({ name }) => name === number.provider)?.label ?? number.provider}
          {number.signed && <span className="badge">{words.signed}</span>}
        </span>
      </td>
      <td className="anywhere">
        {number.webhook === null ? <span className="faint">{words.noWebhook}</span> : <code>{number.webhook}</code>}
      </td>
      <td className="number">
        <button
          type="button"
          className="button danger"
          onClick={() => {
            onRemove(number);
          }}
        >
          {words.remove}
        </button>
      </td>
    </tr>
  );
}

function RemoveNumberDialog({
  number,
  onClose,
}: {
  readonly number: PhoneNumber;
  readonly onClose: () => void;
}): ReactElement {
  const { mutate, error } = useRemoveNumber();
  const words = strings.numbers;
  const onSuccess = (): void => {
    onClose();
    showToast({ text: words.removed });
  };
  return (
    <ConfirmDialog
      title={words.removeTitle(number.number)}
      lead={words.removeLead}
      label={words.remove}
      error={error}
      onClose={onClose}
      onConfirm={() => {
        mutate(number.id, { onSuccess });
      }}
    />
  );
}
