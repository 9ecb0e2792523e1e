import { clsx } from "clsx";
import { Plus, Smartphone } from "lucide-react";
import { useState, type ReactElement } from "react";
import { usePhoneNumbers, useRemoveNumber } from "../api/sending-permissions.ts";
import { useServers } from "../api/servers.ts";
import { useSmsProviders } from "../api/session.ts";
import { Link } from "../navigation/location.tsx";
import { inboxPath } from "../navigation/routes.ts";
import badgeStyles from "../shared/badge.module.css";
import { Button } from "../shared/button.tsx";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import pageStyles from "../shared/page.module.css";
import { Page, EmptyState } from "../shared/page.tsx";
import tableStyles from "../shared/table.module.css";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import type { PhoneNumber } from "../wire.ts";
import { AddNumberDialog } from "./add-number-dialog.tsx";

/** Phone numbers of all servers. */
export function NumbersPage(): ReactElement {
  const { data: numbers, error } = usePhoneNumbers();
  const [isAdding, setAdding] = useState(false);
  const labels = strings.numbers;
  return (
    <Page title={labels.title} lead={labels.lead}>
      <section className={clsx(pageStyles.panel, layout.stack)}>
        {error !== null && <ErrorNotice error={error} />}
        {numbers?.length === 0 && <EmptyState icon={Smartphone} text={labels.none} hint={labels.noneHint} />}
        {numbers !== undefined && numbers.length > 0 && <NumberTable numbers={numbers} />}
        <div>
          <Button
            onClick={() => {
              setAdding(true);
            }}
          >
            <Plus size={15} aria-hidden />
            {labels.add}
          </Button>
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
  const labels = strings.numbers;
  return (
    <div className={tableStyles.wideContent}>
      <table className={tableStyles.table}>
        <thead>
          <tr>
            <th scope="col">{labels.number}</th>
            <th scope="col">{labels.server}</th>
            <th scope="col">{labels.provider}</th>
            <th scope="col">{labels.webhookHead}</th>
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
  const labels = strings.numbers;
  const { server } = number;
  return (
    <tr>
      <td className={layout.mono}>{number.number}</td>
      <td>
        <Link href={inboxPath(server)}>{servers?.find(({ id }) => id === server)?.name ?? server}</Link>
      </td>
      <td>
        <span className={layout.row}>
          {smsProviders.find(({ name }) => name === number.provider)?.label ?? number.provider}
          {number.signed && <span className={badgeStyles.badge}>{labels.signed}</span>}
        </span>
      </td>
      <td className={layout.anywhere}>
        {number.webhook === null ? (
          <span className={layout.faint}>{labels.noWebhook}</span>
        ) : (
          <code>{number.webhook}</code>
        )}
      </td>
      <td className={tableStyles.number}>
        <Button
          variant="danger"
          onClick={() => {
            onRemove(number);
          }}
        >
          {labels.remove}
        </Button>
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
  const labels = strings.numbers;
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
