import { useState, type ReactElement } from "react";
import { useDeliveries, useReplay } from "../api/callbacks.ts";
import { usePermissions } from "../api/permissions.ts";
import { Age } from "../shared/age.tsx";
import badgeStyles from "../shared/badge.module.css";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Segments } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { Table } from "../shared/table.tsx";
import tableStyles from "../shared/table.module.css";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { CallbackDelivery } from "../wire.ts";
import { DeliveryDialog } from "./delivery-dialog.tsx";
import { responseText } from "./response-text.ts";

type ShownStatus = "" | "Pending" | "Failed";

/** The newest deliveries of a server, filtered by status; failed ones can be delivered again. */
export function Deliveries({ server }: { readonly server: string }): ReactElement {
  const [status, setStatus] = useState<ShownStatus>("");
  const [opened, setOpened] = useState<string | null>(null);
  const { data: deliveries, error } = useDeliveries(server, status);
  const { mutate: replay, error: replayError, isPending } = useReplay(server);
  const { canManage } = usePermissions();
  const labels = pageStrings.webhooks;
  const count = deliveries?.length;
  const replayFailed = (): void => {
    replay(null, { onSuccess: () => showToast({ text: labels.replayed }) });
  };
  return (
    <>
      <h2>{labels.deliveries}</h2>
      {(status !== "" || count !== 0) && (
        <div className={layout.row}>
          <Segments
            label={labels.status}
            value={status}
            options={[
              ["", labels.anyStatus],
              ["Pending", labels.statuses.Pending],
              ["Failed", labels.statuses.Failed],
            ]}
            onChange={setStatus}
          />
          {canManage && status === "Failed" && count !== 0 && (
            <Button disabled={isPending} onClick={replayFailed}>
              {labels.replayFailed}
            </Button>
          )}
        </div>
      )}
      {error !== null && <ErrorNotice error={error} />}
      {replayError !== null && <ErrorNotice error={replayError} />}
      {deliveries !== undefined && <DeliveryTable deliveries={deliveries} onOpen={setOpened} />}
      {opened !== null && (
        <DeliveryDialog
          server={server}
          id={opened}
          onClose={() => {
            setOpened(null);
          }}
        />
      )}
    </>
  );
}

function DeliveryTable(props: {
  readonly deliveries: readonly CallbackDelivery[];
  readonly onOpen: (id: string) => void;
}): ReactElement {
  const { deliveries, onOpen } = props;
  const labels = pageStrings.webhooks;
  if (deliveries.length === 0) return <p className={layout.faint}>{labels.deliveriesNone}</p>;
  return (
    <Table heads={[labels.event, labels.status, labels.response, labels.attempts, labels.created, ""]}>
      {deliveries.map((delivery) => (
        <tr key={delivery.id}>
          <td className={layout.mono}>{delivery.type}</td>
          <td>
            <DeliveryStatus status={delivery.status} />
          </td>
          <td className={layout.anywhere}>{responseText(delivery.lastAttempt)}</td>
          <td data-label={labels.attempts}>{delivery.attemptCount}</td>
          <td className={layout.faint}>
            <Age instant={delivery.createdAt} />
          </td>
          <td className={tableStyles.number}>
            <Button
              onClick={() => {
                onOpen(delivery.id);
              }}
            >
              {labels.details}
            </Button>
          </td>
        </tr>
      ))}
    </Table>
  );
}

const results = {
  Delivered: "Pass",
  Failed: "Fail",
  Quarantined: "Fail",
  Pending: undefined,
  Cancelled: undefined,
} as const;

/** Status of a delivery as a badge. */
function DeliveryStatus({ status }: { readonly status: CallbackDelivery["status"] }): ReactElement {
  return (
    <span className={badgeStyles.badge} data-result={results[status]}>
      {pageStrings.webhooks.statuses[status]}
    </span>
  );
}
