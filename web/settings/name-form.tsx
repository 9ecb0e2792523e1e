import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useUpdateServer } from "../api/servers.ts";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Field } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Server } from "../wire.ts";

/** Form for the name of a server. */
export function NameForm({ server }: { readonly server: Server }): ReactElement {
  const [name, setName] = useState(server.name);
  const update = useUpdateServer(server.id);
  return (
    <form
      className={clsx(layout.stack, layout.tight)}
      onSubmit={(event) => {
        event.preventDefault();
        update.mutate({ name }, { onSuccess: () => showToast({ text: pageStrings.settings.saved }) });
      }}
    >
      <div className={clsx(layout.row, layout.ends)}>
        <div className={layout.grow}>
          <Field
            label={pageStrings.settings.name}
            required
            maxLength={200}
            value={name}
            onChange={(event) => {
              setName(event.target.value);
            }}
          />
        </div>
        <Button type="submit" disabled={update.isPending || name === server.name}>
          {pageStrings.settings.save}
        </Button>
      </div>
      {update.error !== null && <ErrorNotice error={update.error} />}
    </form>
  );
}
