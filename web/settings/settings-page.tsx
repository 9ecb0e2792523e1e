import type { ReactElement } from "react";
import { permissionsOf } from "../api/permissions.ts";
import { useServers } from "../api/servers.ts";
import { KeyTable } from "../keys/key-table.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import { Page, Panel } from "../shared/page.tsx";
import { ReadOnly } from "../shared/read-only.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Server, Session } from "../wire.ts";
import { BundlePanel } from "./bundle-panel.tsx";
import { DangerZone } from "./danger-zone.tsx";
import { Lifetime } from "./lifetime.tsx";
import { NameForm } from "./name-form.tsx";
import { QuotaForm } from "./quota-form.tsx";
import { ReaderDeletionForm } from "./reader-deletion-form.tsx";
import { RetentionForm } from "./retention-form.tsx";
import { ScannerForm } from "./scanner-form.tsx";
import { TaggingForm } from "./tagging-form.tsx";
import { ZoneForm } from "./zone-form.tsx";

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
            <Forms server={server} isAccount={isAccount} />
          </ReadOnly>
          <Panel>
            <BundlePanel server={server.id} />
          </Panel>
          <Panel>
            <Lifetime server={server} />
          </Panel>
          {isAccount && (
            <Panel className={layout.stack}>
              <h2>{pageStrings.settings.keys}</h2>
              <KeyTable server={server.id} />
            </Panel>
          )}
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

function Forms({ server, isAccount }: { readonly server: Server; readonly isAccount: boolean }): ReactElement {
  return (
    <>
      <Panel>
        <NameForm key={server.name} server={server} />
      </Panel>
      <Panel>
        <RetentionForm server={server} />
      </Panel>
      <Panel>
        <QuotaForm server={server} isAccount={isAccount} />
      </Panel>
      <Panel>
        <ReaderDeletionForm server={server} />
      </Panel>
      <Panel>
        <TaggingForm server={server.id} />
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
