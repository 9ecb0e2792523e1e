import { useState, type ReactElement } from "react";
import { useUpdateServer } from "../api/servers.ts";
import { Field } from "../shared/field.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import type { Server } from "../wire.ts";

/** Renames a server. */
export function NameForm({ server }: { readonly server: Server }): ReactElement {
  const [name, setName] = useState(server.name);
  const update = useUpdateServer(server.id);
  return (
    <form
      className="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        update.mutate({ name }, { onSuccess: () => showToast({ text: strings.settings.saved }) });
      }}
    >
      <div className="row" style={{ alignItems: "end" }}>
        <div style={{ flex: 1, maxWidth: 420 }}>
          <Field
            label={strings.settings.name}
            required
            maxLength={200}
            value={name}
            onChange={(event) => {
              setName(event.target.value);
            }}
          />
        </div>
        <button type="submit" className="button" disabled={update.isPending || name === server.name}>
          {strings.settings.save}
        </button>
      </div>
      {update.error !== null && <ErrorNotice error={update.error} />}
    </form>
  );
}
