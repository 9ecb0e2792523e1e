import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useUpdateServer } from "../api/servers.ts";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Field } from "../shared/field.tsx";
import { formatBytes } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Server } from "../wire.ts";
import { parseLimit } from "./parse-limit.ts";

const bytesPerMebibyte = 1024 * 1024;

/** Form for the storage quota of a server; read-only for keys of one server. */
export function QuotaForm({
  server,
  isAccount,
}: {
  readonly server: Server;
  readonly isAccount: boolean;
}): ReactElement {
  const { quota, usage } = server;
  const [messages, setMessages] = useState(quota.messages === null ? "" : String(quota.messages));
  const [mebibytes, setMebibytes] = useState(quota.bytes === null ? "" : String(quota.bytes / bytesPerMebibyte));
  const update = useUpdateServer(server.id);
  const [count, bytes] = [parseLimit(messages, 1), parseLimit(mebibytes, bytesPerMebibyte)];
  const isReadable = count !== undefined && bytes !== undefined;
  return (
    <form
      className={layout.stack}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReadable) return;
        const change = { quota: { messages: count, bytes } };
        update.mutate(change, { onSuccess: () => showToast({ text: pageStrings.settings.saved }) });
      }}
    >
      <div className={clsx(layout.stack, layout.tight)}>
        <h2>{pageStrings.settings.quota}</h2>
        <p className={layout.soft}>{pageStrings.settings.quotaLead}</p>
        <p>{pageStrings.settings.usage(usage.messages, formatBytes(usage.bytes))}</p>
      </div>
      <div className={clsx(layout.row, layout.wrap, layout.ends)}>
        <Field
          label={pageStrings.settings.quotaMessages}
          inputMode="numeric"
          disabled={!isAccount}
          value={messages}
          onChange={(event) => {
            setMessages(event.target.value);
          }}
        />
        <Field
          label={pageStrings.settings.quotaBytes}
          inputMode="decimal"
          disabled={!isAccount}
          value={mebibytes}
          onChange={(event) => {
            setMebibytes(event.target.value);
          }}
        />
        {isAccount && (
          <Button type="submit" disabled={update.isPending || !isReadable}>
            {pageStrings.settings.save}
          </Button>
        )}
      </div>
      {!isReadable && <p className={layout.bad}>{pageStrings.settings.wrongNumber}</p>}
      {update.error !== null && <ErrorNotice error={update.error} />}
    </form>
  );
}
