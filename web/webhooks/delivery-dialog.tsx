import type { ReactElement } from "react";
import { useDelivery, useReplay } from "../api/callbacks.ts";
import { usePermissions } from "../api/permissions.ts";
import { Button } from "../shared/button.tsx";
import { CodeBox } from "../shared/code-box.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { formatDay, formatDuration } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { Table } from "../shared/table.tsx";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { DeliveryDetail } from "../wire.ts";
import { responseText } from "./response-text.ts";

const bodyLengthMax = 20_000;

/** Dialog with the request and the attempts of a delivery, which can be delivered again. */
export function DeliveryDialog(props: {
  readonly server: string;
  readonly id: string;
  readonly onClose: () => void;
}): ReactElement {
  const { server, id, onClose } = props;
  const { data: delivery, error } = useDelivery(server, id);
  const { mutate, error: replayError, isPending } = useReplay(server);
  const { canManage } = usePermissions();
  const labels = pageStrings.webhooks;
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
            onClick={() => {
              mutate(id, { onSuccess: () => showToast({ text: labels.replayed }) });
            }}
          >
            {labels.replay}
          </Button>
        </div>
      )}
    </Dialog>
  );
}

function Attempts({ delivery }: { readonly delivery: DeliveryDetail }): ReactElement {
  const labels = pageStrings.webhooks;
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
