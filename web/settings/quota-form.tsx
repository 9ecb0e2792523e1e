import { useState, type ReactElement } from "react";
import { useUpdateServer } from "../api/servers.ts";
import { formatBytes } from "../shared/format.ts";
import { Field } from "../shared/field.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import type { Server } from "../wire.ts";
import { parseLimit } from "./parse-limit.ts";

const bytesPerMebibyte = 1024 * 1024;

/** Form for the storage quota of a server; keys of one server see it only. */
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
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReadable) return;
        const change = { quota: { messages: count, bytes } };
        update.mutate(change, { onSuccess: () => showToast({ text: strings.settings.saved }) });
      }}
    >
      <div className="stack tight">
        <h2>{strings.settings.quota}</h2>
        <p className="soft">{strings.settings.quotaLead}</p>
        <p>{strings.settings.usage(usage.messages, formatBytes(usage.bytes))}</p>
      </div>
      <div className="row wrap" style={{ alignItems: "end" }}>
        <Field
          label={strings.settings.quotaMessages}
          inputMode="numeric"
          disabled={!isAccount}
          value={messages}
          onChange={(event) => {
            setMessages(event.target.value);
          }}
        />
        <Field
          label={strings.settings.quotaBytes}
          inputMode="decimal"
          disabled={!isAccount}
          value={mebibytes}
          onChange={(event) => {
            setMebibytes(event.target.value);
          }}
        />
        {isAccount && (
          <button type="submit" className="button" disabled={update.isPending || !isReadable}>
            {strings.settings.save}
          </button>
        )}
      </div>
      {!isReadable && <p className="bad">{strings.settings.wrongNumber}</p>}
      {update.error !== null && <ErrorNotice error={update.error} />}
    </form>
  );
}
