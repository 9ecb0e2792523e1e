import { useState, type ReactElement } from "react";
import { useUpdateServer } from "../api/servers.ts";
import { Field } from "../shared/field.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import type { Server } from "../wire.ts";
import { parseLimit } from "./parse-limit.ts";

const secondsPerHour = 3600;

/** What a server removes by itself. */
export function RetentionForm({ server }: { readonly server: Server }): ReactElement {
  const { ageSecondsMax, messageCountMax } = server.retention;
  const [hours, setHours] = useState(ageSecondsMax === null ? "" : String(ageSecondsMax / secondsPerHour));
  const [count, setCount] = useState(messageCountMax === null ? "" : String(messageCountMax));
  const update = useUpdateServer(server.id);
  const [age, keep] = [parseLimit(hours, secondsPerHour), parseLimit(count, 1)];
  const isReadable = age !== undefined && keep !== undefined;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReadable) return;
        const retention = { ageSecondsMax: age, messageCountMax: keep };
        update.mutate({ retention }, { onSuccess: () => showToast({ text: strings.settings.saved }) });
      }}
    >
      <div className="stack tight">
        <h2>{strings.settings.retention}</h2>
        <p className="soft">{strings.settings.retentionLead}</p>
      </div>
      <div className="row wrap" style={{ alignItems: "end" }}>
        <Field
          label={strings.settings.age}
          inputMode="numeric"
          value={hours}
          onChange={(event) => {
            setHours(event.target.value);
          }}
        />
        <Field
          label={strings.settings.keep}
          inputMode="numeric"
          value={count}
          onChange={(event) => {
            setCount(event.target.value);
          }}
        />
        <button type="submit" className="button" disabled={update.isPending || !isReadable}>
          {strings.settings.save}
        </button>
      </div>
      {!isReadable && <p className="bad">{strings.settings.wrongNumber}</p>}
      {update.error !== null && <ErrorNotice error={update.error} />}
      {server.retired > 0 && <p className="faint small">{strings.settings.retired(server.retired)}</p>}
    </form>
  );
}
