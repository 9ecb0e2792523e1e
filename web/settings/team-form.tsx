import { useState, type ReactElement } from "react";
import { useOwningTeams, useTeams } from "../api/people.ts";
import { usePermissions } from "../api/permissions.ts";
import { useUpdateServer } from "../api/servers.ts";
import { SelectField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import type { Server } from "../wire.ts";
import { confirmed, LineForm, SettingsSection } from "./settings-section.tsx";

/** Form for the team that owns a server; managers move servers between their own teams only. */
export function TeamForm({ server }: { readonly server: Server }): ReactElement {
  const { isAccount, canAdminister } = usePermissions();
  const [team, setTeam] = useState(server.team ?? "");
  const { data: teams = [], error } = useTeams();
  const update = useUpdateServer(server.id);
  const owning = useOwningTeams();
  const labels = pageStrings.settings;
  const choices = canAdminister ? owning : teams.filter(({ id }) => id === server.team);
  return (
    <SettingsSection title={labels.team} lead={labels.teamLead} error={error}>
      <LineForm
        request={update}
        canSave={team !== (server.team ?? "")}
        onSubmit={() => {
          update.mutate({ team: team === "" ? null : team }, confirmed);
        }}
      >
        <div className={layout.grow}>
          <SelectField
            label={labels.team}
            value={team}
            options={[
              ...(isAccount || server.team === null ? [["", labels.noTeam] as const] : []),
              ...choices.map(({ id, name }) => [id, name] as const),
            ]}
            onChange={setTeam}
          />
        </div>
      </LineForm>
    </SettingsSection>
  );
}
