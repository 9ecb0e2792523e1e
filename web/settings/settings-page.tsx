import { useMutation } from "@tanstack/react-query";
import { clsx } from "clsx";
import { Download } from "lucide-react";
import { type ReactElement, useState } from "react";
import { permissionsOf } from "../api/permissions.ts";
import { useServers, useUpdateServer } from "../api/servers.ts";
import { download } from "../api/signed-urls.ts";
import { KeyTable } from "../keys/key-table.tsx";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Field, optionsOf, SelectField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { Page, Panel } from "../shared/page.tsx";
import { ReadOnly } from "../shared/read-only.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Server, Session } from "../wire.ts";
import { DangerZone, ZoneForm } from "./danger-zone.tsx";
import { Lifetime, QuotaForm, RetentionForm } from "./limit-forms.tsx";
import { ScannerForm } from "./scanner-form.tsx";
import { confirmed, LineForm, SettingsSection } from "./settings-section.tsx";
import { TaggingForm } from "./tagging-form.tsx";

/** Settings of a server; sessions of a key for one server cannot manage keys or delete the server. */
export function SettingsPage(props: { readonly session: Session; readonly server: string }): ReactElement {
  const { isAccount, canManage } = permissionsOf(props.session);
  const { data: servers, error } = useServers();
  const server = servers?.find(({ id }) => id === props.server);
  return (
    <Page title={pageStrings.settings.title} lead={canManage ? undefined : pageStrings.settings.readOnly}>
      {error !== null && <ErrorNotice error={error} />}
      {server !== undefined && (
        <>
          <ReadOnly isReadOnly={!canManage}>
            <Panel>
              <NameForm key={server.name} server={server} />
            </Panel>
            <Panel>
              <RetentionForm server={server} />
            </Panel>
            <Panel>
              <TaggingForm server={server.id} />
            </Panel>
          </ReadOnly>
          {server.expiresAt !== null && (
            <Panel>
              <Lifetime expiresAt={server.expiresAt} />
            </Panel>
          )}
          {isAccount && (
            <Panel className={layout.stack}>
              <h2>{pageStrings.settings.keys}</h2>
              <KeyTable server={server.id} />
            </Panel>
          )}
          <details>
            <summary>{pageStrings.settings.advanced}</summary>
            <div className={layout.stack}>
              <ReadOnly isReadOnly={!canManage}>
                <AdvancedForms server={server} isAccount={isAccount} />
              </ReadOnly>
              <Panel>
                <BundlePanel server={server.id} />
              </Panel>
            </div>
          </details>
          {canManage && (
            <Panel>
              <DangerZone server={server} isAccount={isAccount} />
            </Panel>
          )}
        </>
      )}
    </Page>
  );
}

/** Settings that few servers need. */
function AdvancedForms({ server, isAccount }: { readonly server: Server; readonly isAccount: boolean }): ReactElement {
  return (
    <>
      <Panel>
        <QuotaForm server={server} isAccount={isAccount} />
      </Panel>
      <Panel>
        <ReaderDeletionForm key={server.readerDeletion} server={server} />
      </Panel>
      <Panel>
        <ScannerForm server={server.id} />
      </Panel>
      <Panel>
        <ZoneForm server={server.id} />
      </Panel>
    </>
  );
}

/** Download of the newest messages of a server as an archive. */
function BundlePanel({ server }: { readonly server: string }): ReactElement {
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => download(`/api/servers/${server}/bundle`, `bundle-${server}.zip`),
  });
  const labels = pageStrings.bundle;
  return (
    <div className={layout.stack}>
      <h2>{labels.title}</h2>
      <div className={clsx(layout.row, layout.wrap)}>
        <p className={clsx(layout.soft, layout.fill)}>{labels.lead}</p>
        <Button
          disabled={isPending}
          onClick={() => {
            mutate();
          }}
        >
          <Download size={15} aria-hidden />
          {labels.download}
        </Button>
      </div>
      {error !== null && <ErrorNotice error={error} />}
    </div>
  );
}

/** Form for the name of a server. */
function NameForm({ server }: { readonly server: Server }): ReactElement {
  const [name, setName] = useState(server.name);
  const update = useUpdateServer(server.id);
  return (
    <LineForm
      request={update}
      canSave={name !== server.name}
      onSubmit={() => {
        update.mutate({ name }, confirmed);
      }}
    >
      <div className={layout.grow}>
        <Field label={pageStrings.settings.name} required maxLength={200} value={name} onChange={setName} />
      </div>
    </LineForm>
  );
}

/** Form for the effect of deletions by POP3 and IMAP. */
function ReaderDeletionForm({ server }: { readonly server: Server }): ReactElement {
  const [readerDeletion, setReaderDeletion] = useState(server.readerDeletion);
  const update = useUpdateServer(server.id);
  const labels = pageStrings.settings;
  return (
    <SettingsSection title={labels.readers} lead={labels.readersLead}>
      <LineForm
        request={update}
        canSave={readerDeletion !== server.readerDeletion}
        onSubmit={() => {
          update.mutate({ readerDeletion }, confirmed);
        }}
      >
        <div className={layout.grow}>
          <SelectField
            label={labels.readerDeletion}
            value={readerDeletion}
            options={optionsOf(labels.readerDeletions)}
            onChange={setReaderDeletion}
          />
        </div>
      </LineForm>
    </SettingsSection>
  );
}
