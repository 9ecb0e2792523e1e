import { clsx } from "clsx";
import { MessageSquarePlus, Plus, Smartphone } from "lucide-react";
import { useState, type ReactElement } from "react";
import { usePermissions } from "../api/permissions.ts";
import { usePhoneNumbers } from "../api/sending.ts";
import { useServers } from "../api/servers.ts";
import { useSmsProviders } from "../api/session.ts";
import { Link } from "../navigation/location.tsx";
import { inboxPath } from "../navigation/routes.ts";
import badgeStyles from "../shared/badge.module.css";
import { Button } from "../shared/button.tsx";
import { DialogButton } from "../shared/dialog.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import layout from "../shared/layout.module.css";
import { EmptyState, Page, Panel } from "../shared/page.tsx";
import { Table } from "../shared/table.tsx";
import tableStyles from "../shared/table.module.css";
import { pageStrings } from "../page-strings.ts";
import type { PhoneNumber } from "../wire.ts";
import { SaveNumberDialog, ReceiveSmsDialog, RemoveNumberDialog } from "./save-number-dialog.tsx";

const labels = pageStrings.numbers;

/** Phone numbers of all servers. */
export function NumbersPage(): ReactElement {
  const { data: numbers, error, refetch } = usePhoneNumbers();
  return (
    <Page title={labels.title} lead={labels.lead}>
      <Panel className={layout.stack}>
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {numbers?.length === 0 && <EmptyState icon={Smartphone} text={labels.none} hint={labels.noneHint} />}
        {numbers !== undefined && numbers.length > 0 && <NumberTable numbers={numbers} />}
        <Actions firstNumber={numbers?.[0]?.number ?? ""} />
      </Panel>
    </Page>
  );
}

function Actions({ firstNumber }: { readonly firstNumber: string }): ReactElement {
  const { canManage, canSend } = usePermissions();
  return (
    <div className={clsx(layout.row, layout.wrap)}>
      {canManage && (
        <DialogButton label={pageStrings.numbers.add} icon={Plus}>
          {(close) => <SaveNumberDialog number={null} onClose={close} />}
        </DialogButton>
      )}
      {canSend && (
        <DialogButton label={pageStrings.receiveSms.title} icon={MessageSquarePlus}>
          {(close) => <ReceiveSmsDialog to={firstNumber} onClose={close} />}
        </DialogButton>
      )}
    </div>
  );
}

interface OpenDialog {
  readonly kind: "edit" | "remove";
  readonly number: PhoneNumber;
}

function NumberTable({ numbers }: { readonly numbers: readonly PhoneNumber[] }): ReactElement {
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const close = (): void => setDialog(null);
  return (
    <>
      <Table heads={[labels.number, labels.server, labels.provider, labels.webhookHead, ""]}>
        {numbers.map((number) => (
          <NumberRow key={number.id} number={number} onOpen={setDialog} />
        ))}
      </Table>
      {dialog?.kind === "edit" && <SaveNumberDialog number={dialog.number} onClose={close} />}
      {dialog?.kind === "remove" && <RemoveNumberDialog number={dialog.number} onClose={close} />}
    </>
  );
}

function NumberRow(props: {
  readonly number: PhoneNumber;
  readonly onOpen: (dialog: OpenDialog) => void;
}): ReactElement {
  const { number, onOpen } = props;
  const { canManage } = usePermissions();
  const { data: servers } = useServers();
  const smsProviders = useSmsProviders();
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
        {canManage && (
          <div className={clsx(layout.row, layout.actions)}>
            <Button onClick={() => onOpen({ kind: "edit", number })}>{labels.edit}</Button>
            <Button variant="danger" onClick={() => onOpen({ kind: "remove", number })}>
              {labels.remove}
            </Button>
          </div>
        )}
      </td>
    </tr>
  );
}
