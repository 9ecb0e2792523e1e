import type { ReactElement } from "react";
import { useServers } from "../api/servers.ts";
import { KeyTable } from "../keys/key-table.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import { Page, Panel } from "../shared/page.tsx";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import { DangerZone } from "./danger-zone.tsx";
import { Lifetime } from "./lifetime.tsx";
import { NameForm } from "./name-form.tsx";
import { QuotaForm } from "./quota-form.tsx";
import { RetentionForm } from "./retention-form.tsx";
import { ScannerForm } from "./scanner-form.tsx";

/** Settings of a server; sessions of a key for one server cannot manage keys or delete the server. */
export function SettingsPage(props: { readonly session: Session; readonly server: string }): ReactElement {
  const isAccount = props.session.server === null;
  const { data: servers, error } = useServers();
  const server = servers?.find(({ id }) => id === props.server);
  return (
    <Page title={strings.settings.title}>
      {error !== null && <ErrorNotice error={error} />}
      {server !== undefined && (
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
            <ScannerForm server={server.id} />
          </Panel>
          <Panel>
            <Lifetime server={server} />
          </Panel>
          {isAccount && (
            <Panel className={layout.stack}>
              <h2>{strings.settings.keys}</h2>
              <KeyTable server={server.id} />
            </Panel>
          )}
          <Panel>
            <DangerZone server={server} isAccount={isAccount} />
          </Panel>
        </>
      )}
    </Page>
  );
}
