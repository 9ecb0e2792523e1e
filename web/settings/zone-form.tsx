import { useState, type ReactElement } from "react";
import { useSetZone, useZone } from "../api/zone.ts";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { TextAreaField } from "../shared/field.tsx";
import { Form } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { DnsZone } from "../wire.ts";
import { SettingsSection } from "./settings-section.tsx";

/** Form for the DNS zone that checks of a server's mail use instead of DNS. */
export function ZoneForm({ server }: { readonly server: string }): ReactElement {
  const { data: zone, error } = useZone(server);
  const labels = pageStrings.zone;
  return (
    <SettingsSection title={labels.title} lead={labels.lead} error={error}>
      {zone !== undefined && <Fields key={zone?.zone ?? ""} server={server} zone={zone} />}
    </SettingsSection>
  );
}

function Fields({ server, zone }: { readonly server: string; readonly zone: DnsZone | null }): ReactElement {
  const [text, setText] = useState(zone?.zone ?? "");
  const { mutate, error, isPending } = useSetZone(server);
  const labels = pageStrings.zone;
  const save = (changed: string | null, done: string): void => {
    mutate(changed, { onSuccess: () => showToast({ text: done }) });
  };
  return (
    <Form
      className={layout.stack}
      onSubmit={() => {
        save(text, pageStrings.settings.saved);
      }}
    >
      <p className={layout.faint}>{zone === null ? labels.none : labels.records(zone.records)}</p>
      <TextAreaField
        label={labels.zone}
        required
        rows={6}
        spellCheck={false}
        placeholder={labels.zoneHint}
        value={text}
        onChange={setText}
      />
      {error !== null && <ErrorNotice error={error} />}
      <div className={layout.row}>
        <Button type="submit" disabled={isPending || text.trim() === "" || text === zone?.zone}>
          {labels.save}
        </Button>
        {zone !== null && (
          <Button
            variant="danger"
            disabled={isPending}
            onClick={() => {
              save(null, labels.removed);
            }}
          >
            {labels.remove}
          </Button>
        )}
      </div>
    </Form>
  );
}
