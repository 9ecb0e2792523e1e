import { useState, type ReactElement } from "react";
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
  const create = useCreateServer();
  return (
    <FormDialog
      title={strings.servers.createTitle}
      lead={strings.servers.createLead}
      label={strings.servers.submit}
      request={create}
      onSubmit={() => {
        const request = { name, ...(lifetime !== "" && { ttlSeconds: Number(lifetime) }) };
        create.mutate(request, {
          onSuccess: ({ id }) => {
            navigate(inboxPath(id));
          },
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
    </FormDialog>
  );
}
