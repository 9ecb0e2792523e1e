import { useState, type ReactElement } from "react";
import { useDeleteServer, useEmptyServer } from "../api/servers.ts";
import { useSetZone, useZone } from "../api/server-settings.ts";
import { navigate } from "../navigation/location.tsx";
import { Button } from "../shared/button.tsx";
import { TextAreaField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import { ConfirmButton, FormContent, ActionRow, whenDone } from "../shared/form.tsx";
import type { Server, DnsZone } from "../wire.ts";
import { confirmed, SettingsSection } from "./settings-section.tsx";

/** Actions that delete the messages of a server or the server itself. */
export function DangerZone(props: { readonly server: Server; readonly canDelete: boolean }): ReactElement {
  const { server, canDelete } = props;
  const empty = useEmptyServer(server.id);
  const remove = useDeleteServer(server.id);
  const labels = pageStrings.settings;
  return (
    <div className={layout.stack}>
      <h2>{labels.danger}</h2>
      <ActionRow lead={labels.emptyLead(server.messages)}>
        <ConfirmButton
          title={labels.empty}
          lead={labels.emptyLead(server.messages)}
          label={labels.empty}
          action={empty}
          input={undefined}
          done={labels.emptied}
        />
      </ActionRow>
      {canDelete && (
        <ActionRow lead={labels.removeLead}>
          <ConfirmButton
            title={labels.remove}
            lead={labels.removeLead}
            label={labels.remove}
            typed={server.name}
            action={remove}
            input={undefined}
            done={() => navigate("/")}
          />
        </ActionRow>
      )}
    </div>
  );
}

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
  const request = useSetZone(server);
  const labels = pageStrings.zone;
  const remove = zone !== null && (
    <Button
      variant="danger"
      disabled={request.isPending}
      onClick={() => request.mutate(null, whenDone(labels.removed))}
    >
      {labels.remove}
    </Button>
  );
  return (
    <FormContent
      label={pageStrings.settings.save}
      request={request}
      canSubmit={text.trim() !== "" && text !== zone?.zone}
      onSubmit={() => request.mutate(text, confirmed)}
      buttons={remove}
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
    </FormContent>
  );
}
