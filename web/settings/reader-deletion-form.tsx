import type { ReactElement } from "react";
import { useUpdateServer } from "../api/servers.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { SelectField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Server } from "../wire.ts";

const effects: readonly Server["readerDeletion"][] = ["delete", "hide", "refuse"];

/** Setting for the effect of deletions by POP3 and IMAP, which is saved when it is chosen. */
export function ReaderDeletionForm({ server }: { readonly server: Server }): ReactElement {
  const update = useUpdateServer(server.id);
  return (
    <div className={layout.stack}>
      <h2>{pageStrings.settings.readers}</h2>
      <p className={layout.soft}>{pageStrings.settings.readersLead}</p>
      <SelectField
        label={pageStrings.settings.readerDeletion}
        value={server.readerDeletion}
        options={effects.map((effect) => [effect, pageStrings.settings.readerDeletions[effect]])}
        onChange={(readerDeletion) => {
          const change = { readerDeletion };
          update.mutate(change, { onSuccess: () => showToast({ text: pageStrings.settings.saved }) });
        }}
      />
      {update.error !== null && <ErrorNotice error={update.error} />}
    </div>
  );
}
