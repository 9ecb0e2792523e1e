import { useState, type ReactElement } from "react";
import { useCreateServer } from "../api/servers.ts";
import { navigate } from "../navigation/location.tsx";
import { inboxPath } from "../navigation/routes.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Field, SelectField } from "../shared/field.tsx";
import { Form, FormActions } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";

/** Dialog that creates a server and opens it. */
export function CreateServerDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState("");
  const create = useCreateServer();
  return (
    <Dialog title={strings.servers.createTitle} onClose={onClose}>
      <Form
        className={layout.stack}
        onSubmit={() => {
          const request = { name, ...(lifetime !== "" && { ttlSeconds: Number(lifetime) }) };
          create.mutate(request, {
            onSuccess: ({ id }) => {
              navigate(inboxPath(id));
            },
          });
        }}
      >
        <p className={layout.soft}>{strings.servers.createLead}</p>
        <Field
          label={strings.servers.name}
          required
          maxLength={200}
          value={name}
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
        <SelectField
          label={strings.servers.lifetime}
          value={lifetime}
          options={strings.servers.lifetimes.map(([text, seconds]) => [seconds === null ? "" : String(seconds), text])}
          onChange={setLifetime}
        />
        <FormActions
          label={strings.servers.submit}
          error={create.error}
          isPending={create.isPending}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
