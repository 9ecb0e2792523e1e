import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useUpdateServer } from "../api/servers.ts";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Field } from "../shared/field.tsx";
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
