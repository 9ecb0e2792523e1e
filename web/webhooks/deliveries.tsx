import { type ReactElement, useState } from "react";
import { useDeliveries, useDelivery, useReplay } from "../api/callbacks.ts";
import { usePermissions } from "../api/permissions.ts";
import { pageStrings } from "../page-strings.ts";
import { Age } from "../shared/age.tsx";
import badgeStyles from "../shared/badge.module.css";
import { Button } from "../shared/button.tsx";
import { CodeBox } from "../shared/code-box.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { Segments } from "../shared/field.tsx";
import { formatDay, formatDuration } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { ErrorNotice } from "../shared/notice.tsx";
import tableStyles from "../shared/table.module.css";
import { Table } from "../shared/table.tsx";
import { whenDone } from "../shared/form.tsx";
import type { CallbackDelivery, DeliveryDetail } from "../wire.ts";

const labels = pageStrings.webhooks;

type ShownStatus = "" | "Pending" | "Failed";

/** The newest deliveries of a server, filtered by status; failed ones can be delivered again. */
export function Deliveries({ server }: { readonly server: string }): ReactElement {
  const [status, setStatus] = useState<ShownStatus>("");
  const [opened, setOpened] = useState<string | null>(null);
  const { data: deliveries, error } = useDeliveries(server, status);
  const { mutate: replay, error: replayError, isPending } = useReplay(server);
  const { canManage } = usePermissions();
  const count = deliveries?.length;
  const replayFailed = (): void => replay(null, whenDone(labels.replayed));
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
      {opened !== null && <DeliveryDialog server={server} id={opened} onClose={() => setOpened(null)} />}
    </>
  );
}

function DeliveryTable(props: {
  readonly deliveries: readonly CallbackDelivery[];
  readonly onOpen: (id: string) => void;
}): ReactElement {
  const { deliveries, onOpen } = props;
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
            <Button onClick={() => onOpen(delivery.id)}>{labels.details}</Button>
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

const bodyLengthMax = 20_000;

/** Dialog with the request and the attempts of a delivery, which can be delivered again. */
function DeliveryDialog(props: {
  readonly server: string;
  readonly id: string;
  readonly onClose: () => void;
}): ReactElement {
  const { server, id, onClose } = props;
  const { data: delivery, error } = useDelivery(server, id);
  const { mutate, error: replayError, isPending } = useReplay(server);
  const { canManage } = usePermissions();
  return (
    <Dialog title={delivery?.type ?? labels.deliveries} onClose={onClose} isLarge>
      {error !== null && <ErrorNotice error={error} />}
      {delivery !== undefined && (
        <>
          <Attempts delivery={delivery} />
          {delivery.request === null ? (
            <p className={layout.faint}>{labels.requestErased}</p>
          ) : (
            <CodeBox file={labels.request} code={requestText(delivery.request)} />
          )}
        </>
      )}
      {replayError !== null && <ErrorNotice error={replayError} />}
      {canManage && (
        <div>
          <Button
            disabled={isPending || delivery === undefined || delivery.status === "Pending" || delivery.request === null}
            onClick={() => mutate(id, whenDone(labels.replayed))}
          >
            {labels.replay}
          </Button>
        </div>
      )}
    </Dialog>
  );
}

function Attempts({ delivery }: { readonly delivery: DeliveryDetail }): ReactElement {
  return (
    <Table heads={[labels.attempts, labels.created, labels.duration, labels.response]}>
      {delivery.attempts.map((attempt) => (
        <tr key={attempt.number}>
          <td>{attempt.number}</td>
          <td className={layout.faint}>{formatDay(attempt.startedAt)}</td>
          <td>{formatDuration(attempt.durationMs)}</td>
          <td className={layout.anywhere}>{responseText(attempt)}</td>
        </tr>
      ))}
      {delivery.nextAttemptAt !== null && (
        <tr>
          <td colSpan={4} className={layout.faint}>
            {labels.nextAttempt}: {formatDay(delivery.nextAttemptAt)}
          </td>
        </tr>
      )}
    </Table>
  );
}

/** Returns the request as HTTP writes it; bodies beyond 20,000 characters are cut. */
function requestText({ url, headers, body, encoding }: NonNullable<DeliveryDetail["request"]>): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const coding = encoding === "base64" ? ["content-transfer-encoding: base64"] : [];
  const shown = body.length > bodyLengthMax ? `${body.slice(0, bodyLengthMax)}…` : body;
  return [`POST ${url}`, ...fields, ...coding, "", shown].join("\n");
}

/** Returns the status of a response and why the attempt failed, on one line; "" before the first attempt. */
function responseText(attempt: CallbackDelivery["lastAttempt"]): string {
  if (attempt === null) return "";
  const { responseStatus, error } = attempt;
  if (responseStatus === null) return error ?? pageStrings.webhooks.noResponse;
  return error === null ? String(responseStatus) : `${String(responseStatus)}: ${error}`;
}
