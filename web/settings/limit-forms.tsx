import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useUpdateServer } from "../api/servers.ts";
import { pageStrings } from "../page-strings.ts";
import { useNow } from "../shared/age.tsx";
import { Field, fieldsOf } from "../shared/field.tsx";
import { formatBytes, formatInstant, formatSpan } from "../shared/format.ts";
import { parseLimit, ReadOnly } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import type { Server } from "../wire.ts";
import { confirmed, LineForm, SettingsSection } from "./settings-section.tsx";

const labels = pageStrings.settings;

const secondsPerHour = 3600;
const bytesPerMebibyte = 1024 * 1024;

/** Form for the retention of a server. */
export function RetentionForm({ server }: { readonly server: Server }): ReactElement {
  const { ageSecondsMax, messageCountMax } = server.retention;
  const update = useUpdateServer(server.id);
  return (
    <SettingsSection title={labels.retention} lead={labels.retentionLead}>
      <LimitsForm
        names={[labels.age, labels.keep]}
        values={[ageSecondsMax, messageCountMax]}
        units={[secondsPerHour, 1]}
        request={update}
        onSubmit={(age, count) =>
          update.mutate({ retention: { ageSecondsMax: age, messageCountMax: count } }, confirmed)
        }
      />
      {server.retired > 0 && <p className={clsx(layout.faint, layout.small)}>{labels.expired(server.retired)}</p>}
    </SettingsSection>
  );
}

/** Form for the storage quota of a server; read-only for keys of one server. */
export function QuotaForm(props: { readonly server: Server; readonly isAccount: boolean }): ReactElement {
  const { quota, usage } = props.server;
  const update = useUpdateServer(props.server.id);
  return (
    <SettingsSection title={labels.quota} lead={labels.quotaLead}>
      <p>{labels.usage(usage.messages, formatBytes(usage.bytes))}</p>
      <ReadOnly isReadOnly={!props.isAccount}>
        <LimitsForm
          names={[labels.quotaMessages, labels.quotaBytes]}
          values={[quota.messages, quota.bytes]}
          units={[1, bytesPerMebibyte]}
          request={update}
          onSubmit={(messages, bytes) => update.mutate({ quota: { messages, bytes } }, confirmed)}
        />
      </ReadOnly>
    </SettingsSection>
  );
}

/** Form for two limits, which are empty where there is none. */
function LimitsForm(props: {
  readonly names: readonly [string, string];
  readonly values: readonly [number | null, number | null];
  /** Numbers of the values that 1 in the field stands for. */
  readonly units: readonly [number, number];
  readonly request: Parameters<typeof LineForm>[0]["request"];
  readonly onSubmit: (first: number | null, second: number | null) => void;
}): ReactElement {
  const { names, values, units, request, onSubmit } = props;
  const shown = (at: 0 | 1): string => (values[at] === null ? "" : String(values[at] / units[at]));
  const [draft, setDraft] = useState({ first: shown(0), second: shown(1) });
  const [first, second] = [parseLimit(draft.first, units[0]), parseLimit(draft.second, units[1])];
  const isReadable = first !== undefined && second !== undefined;
  const field = fieldsOf(draft, setDraft);
  return (
    <>
      <LineForm
        request={request}
        canSave={isReadable}
        onSubmit={() => {
          if (isReadable) onSubmit(first, second);
        }}
      >
        <Field label={names[0]} inputMode="decimal" {...field("first")} />
        <Field label={names[1]} inputMode="decimal" {...field("second")} />
      </LineForm>
      {!isReadable && <p className={layout.bad}>{pageStrings.settings.wrongNumber}</p>}
    </>
  );
}

/** Time at which a server expires. */
export function Lifetime({ expiresAt }: { readonly expiresAt: string }): ReactElement {
  const now = useNow();
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <h2>{labels.expiry}</h2>
      <p>{labels.expires(formatInstant(expiresAt), formatSpan(Date.parse(expiresAt) - now))}</p>
    </div>
  );
}
