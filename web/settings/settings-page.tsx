import type { ReactElement } from "react";
import { useServers } from "../api/servers.ts";
import { KeyTable } from "../keys/key-table.tsx";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import { DangerZone } from "./danger-zone.tsx";
import { Lifetime } from "./lifetime.tsx";
import { NameForm } from "./name-form.tsx";
import { QuotaForm } from "./quota-form.tsx";
import { RetentionForm } from "./retention-form.tsx";

/** Everything that an owner may change of a server. */
export function SettingsPage(props: { readonly session: Session; readonly server: string }): ReactElement {
  const { session } = props;
  const { data: servers } = useServers();
  const server = servers?.find(({ id }) => id === props.server);
  return (
    <main className="page" id="content">
      <div className="page-inner">
        <h1>{strings.settings.title}</h1>
        {server !== undefined && (
          <>
            <section className="panel">
              <NameForm key={server.name} server={server} />
            </section>
            <section className="panel">
              <RetentionForm server={server} />
            </section>
            <section className="panel">
              <QuotaForm server={server} isAccount={session.server === null} />
            </section>
            <section className="panel">
              <Lifetime server={server} />
            </section>
            {session.server === null && (
              <section className="panel stack">
                <h2>{strings.settings.keys}</h2>
                <KeyTable server={server.id} />
              </section>
            )}
            <section className="panel">
              <DangerZone server={server} isAccount={session.server === null} />
            </section>
          </>
        )}
      </div>
    </main>
  );
}
