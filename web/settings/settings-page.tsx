import { type ReactElement, useState } from "react";
import { usePermissions, type Permissions } from "../api/permissions.ts";
import { useServers, useUpdateServer } from "../api/servers.ts";
import { KeyTable } from "../keys/key-table.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Field, optionsOf, SelectField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { Page, Panel } from "../shared/page.tsx";
import { ReadOnly } from "../shared/read-only.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Server, Session } from "../wire.ts";
import { BundlePanel } from "./bundle-panel.tsx";
import { DangerZone, ZoneForm } from "./danger-zone.tsx";
import { Lifetime, QuotaForm, RetentionForm } from "./limit-forms.tsx";
import { ScannerForm } from "./scanner-form.tsx";
import { confirmed, LineForm, SettingsSection } from "./settings-section.tsx";
import { TeamForm } from "./team-form.tsx";
import { TaggingForm } from "./tagging-form.tsx";

/** Settings of a server; sessions of a key for one server cannot manage keys or delete the server. */
export function SettingsPage(props: { readonly session: Session; readonly server: string }): ReactElement {
  const { isAccount, canManage, canConfigure, canAdminister } = usePermissions();
  const { data: servers, error } = useServers();
  const server = servers?.find(({ id }) => id === props.server);
  return (
    <Page title={pageStrings.settings.title} lead={restrictionText({ canManage, canConfigure })}>
      {error !== null && <ErrorNotice error={error} />}
      {server !== undefined && (
        <>
          <ReadOnly isReadOnly={!canConfigure}>
            <Panel>
              <NameForm key={server.name} server={server} />
            </Panel>
            {props.session.hasPeople && (
              <Panel>
                <TeamForm key={server.team} server={server} />
              </Panel>
            )}
            <Panel>
              <RetentionForm server={server} />
            </Panel>
          </ReadOnly>
          <ReadOnly isReadOnly={!canManage}>
            <Panel>
              <TaggingForm server={server.id} />
            </Panel>
          </ReadOnly>
          {server.expiresAt !== null && (
            <Panel>
              <Lifetime expiresAt={server.expiresAt} />
            </Panel>
          )}
          {(isAccount || canAdminister) && (
            <Panel className={layout.stack}>
              <h2>{pageStrings.settings.keys}</h2>
              <KeyTable server={server.id} />
            </Panel>
          )}
          <Advanced server={server} />
          {canManage && (
            <Panel>
              <DangerZone server={server} canDelete={canAdminister} />
            </Panel>
          )}
        </>
      )}
    </Page>
  );
}

/** Settings that few servers need. */
function Advanced({ server }: { readonly server: Server }): ReactElement {
  const { isAccount, canManage, canConfigure } = usePermissions();
  return (
    <details>
      <summary>{pageStrings.settings.advanced}</summary>
      <div className={layout.stack}>
        <ReadOnly isReadOnly={!canConfigure}>
          <Panel>
            <QuotaForm server={server} isAccount={isAccount} />
          </Panel>
          <Panel>
            <ReaderDeletionForm key={server.readerDeletion} server={server} />
          </Panel>
        </ReadOnly>
        <ReadOnly isReadOnly={!canManage}>
          <Panel>
            <ScannerForm server={server.id} />
          </Panel>
          <Panel>
            <ZoneForm server={server.id} />
          </Panel>
        </ReadOnly>
        <Panel>
          <BundlePanel server={server.id} />
        </Panel>
      </div>
    </details>
  );
}

/** Returns why some settings cannot be changed; undefined when all can. */
function restrictionText({
  canManage,
  canConfigure,
}: Pick<Permissions, "canManage" | "canConfigure">): string | undefined {
  if (canConfigure) return undefined;
  return canManage ? pageStrings.settings.testerReadOnly : pageStrings.settings.readOnly;
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
