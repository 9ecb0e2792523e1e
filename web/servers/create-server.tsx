import { useState, type ReactElement } from "react";
import { useCreateServer } from "../api/servers.ts";
import { navigate } from "../navigation/location.tsx";
import { placePath } from "../navigation/place.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Field } from "../shared/field.tsx";
import { ProblemNote } from "../shared/problem.tsx";
import { strings } from "../strings.ts";

/** Asks for a name, makes the server, and goes there. */
export function CreateServer({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [name, setName] = useState("");
  const create = useCreateServer();
  return (
    <Dialog title={strings.servers.createTitle} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(name, {
            onSuccess: ({ id }) => {
              navigate(placePath({ kind: "mail", server: id, message: null, tab: null }));
            },
          });
        }}
      >
        <p className="soft">{strings.servers.createLead}</p>
        <Field
          label={strings.servers.name}
          required
          maxLength={200}
          value={name}
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
        {create.error !== null && <ProblemNote error={create.error} />}
        <div className="row">
          <button type="submit" className="button primary" disabled={create.isPending}>
            {strings.servers.submit}
          </button>
          <button type="button" className="button" onClick={onClose}>
            {strings.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
