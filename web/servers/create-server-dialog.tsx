import { useState, type ReactElement } from "react";
import { useOwningTeams } from "../api/people.ts";
import { usePermissions } from "../api/permissions.ts";
import { useCreateServer } from "../api/servers.ts";
import { navigate } from "../navigation/location.tsx";
import { inboxPath } from "../navigation/routes.ts";
import { Field, SelectField } from "../shared/field.tsx";
import { FormDialog } from "../shared/form.tsx";
import { strings } from "../strings.ts";

/** Dialog that creates a server and opens it. */
export function CreateServerDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState("");
  const teams = useOwningTeams();
  const { isAccount } = usePermissions();
  const [chosen, setTeam] = useState("");
  // Users have no servers but those of their teams.
  const team = chosen === "" && !isAccount ? (teams[0]?.id ?? "") : chosen;
  const create = useCreateServer();
  return (
    <FormDialog
      title={strings.servers.createTitle}
      lead={strings.servers.createLead}
      label={strings.servers.submit}
      request={create}
      onSubmit={() => {
        const request = {
          name,
          ...(lifetime !== "" && { ttlSeconds: Number(lifetime) }),
          ...(team !== "" && { team }),
        };
        create.mutate(request, {
          onSuccess: ({ id }) => navigate(inboxPath(id)),
        });
      }}
      onClose={onClose}
    >
      <Field label={strings.servers.name} required maxLength={200} value={name} onChange={setName} />
      <SelectField
        label={strings.servers.lifetime}
        value={lifetime}
        options={strings.servers.lifetimes.map(([text, seconds]) => [seconds === null ? "" : String(seconds), text])}
        onChange={setLifetime}
      />
      {teams.length > 0 && (
        <SelectField
          label={strings.servers.team}
          value={team}
          options={[
            ...(isAccount ? [["", strings.servers.noTeam] as const] : []),
            ...teams.map(({ id, name: text }) => [id, text] as const),
          ]}
          onChange={setTeam}
        />
      )}
    </FormDialog>
  );
}
