import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useUpdateServer } from "../api/servers.ts";
import { useNow } from "../shared/age.tsx";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Field } from "../shared/field.tsx";
import { formatInstant, formatSpan, formatBytes } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Server } from "../wire.ts";
import { parseLimit } from "./parse-limit.ts";

const secondsPerHour = 3600;

/** Form for the retention of a server. */
export function RetentionForm({ server }: { readonly server: Server }): ReactElement {
  const { ageSecondsMax, messageCountMax } = server.retention;
  const [hours, setHours] = useState(ageSecondsMax === null ? "" : String(ageSecondsMax / secondsPerHour));
  const [count, setCount] = useState(messageCountMax === null ? "" : String(messageCountMax));
  const update = useUpdateServer(server.id);
  const [age, keep] = [parseLimit(hours, secondsPerHour), parseLimit(count, 1)];
  const isReadable = age !== undefined && keep !== undefined;
  return (
    <form
      className={layout.stack}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReadable) return;
        const retention = { ageSecondsMax: age, messageCountMax: keep };
        update.mutate({ retention }, { onSuccess: () => showToast({ text: pageStrings.settings.saved }) });
      }}
    >
      <div className={clsx(layout.stack, layout.tight)}>
        <h2>{pageStrings.settings.retention}</h2>
        <p className={layout.soft}>{pageStrings.settings.retentionLead}</p>
      </div>
      <div className={clsx(layout.row, layout.wrap, layout.ends)}>
        <Field
          label={pageStrings.settings.age}
          inputMode="numeric"
          value={hours}
          onChange={(event) => {
            setHours(event.target.value);
          }}
        />
        <Field
          label={pageStrings.settings.keep}
          inputMode="numeric"
          value={count}
          onChange={(event) => {
            setCount(event.target.value);
          }}
        />
        <Button type="submit" disabled={update.isPending || !isReadable}>
          {pageStrings.settings.save}
        </Button>
      </div>
      {!isReadable && <p className={layout.bad}>{pageStrings.settings.wrongNumber}</p>}
      {update.error !== null && <ErrorNotice error={update.error} />}
      {server.retired > 0 && (
        <p className={clsx(layout.faint, layout.small)}>{pageStrings.settings.expired(server.retired)}</p>
      )}
    </form>
  );
}

/** When a server expires, if it does. */
export function Lifetime({ server }: { readonly server: Server }): ReactElement {
  const now = useNow();
  const { expiresAt } = server;
  const labels = pageStrings.settings;
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <h2>{labels.expiry}</h2>
      <p>
        {expiresAt === null
          ? labels.never
          : labels.expires(formatInstant(expiresAt), formatSpan(Date.parse(expiresAt) - now))}
      </p>
      <p className={clsx(layout.faint, layout.small)}>{labels.expiryHint}</p>
    </div>
  );
}

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
