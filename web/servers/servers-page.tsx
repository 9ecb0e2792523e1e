import { clsx } from "clsx";
import { Plus } from "lucide-react";
import type { ReactElement } from "react";
import { usePermissions } from "../api/permissions.ts";
import { useLastReceived, useServers } from "../api/servers.ts";
import { Link } from "../navigation/location.tsx";
import { inboxPath } from "../navigation/routes.ts";
import { Age, useNow } from "../shared/age.tsx";
import badgeStyles from "../shared/badge.module.css";
import { DialogButton } from "../shared/dialog.tsx";
import { CopyButton } from "../shared/copy.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import { formatSpan } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { Page, Panel } from "../shared/page.tsx";
import { pageStrings } from "../page-strings.ts";
import { strings } from "../strings.ts";
import type { Server, Session } from "../wire.ts";
import { CreateServerDialog } from "./create-server-dialog.tsx";
import styles from "./servers-page.module.css";

/** List of all servers that the session may access. */
export function ServersPage({ session }: { readonly session: Session }): ReactElement {
  const { data: servers, error, refetch } = useServers();
  const { canAdminister } = usePermissions();
  const create = (
    <DialogButton variant="primary" label={strings.servers.create} icon={Plus}>
      {(close) => <CreateServerDialog onClose={close} />}
    </DialogButton>
  );
  return (
    <Page title={strings.servers.title} lead={strings.servers.lead} action={canAdminister && create}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {servers?.length === 0 && <Panel className={layout.soft}>{strings.servers.noneAtAll}</Panel>}
      <ul className={styles.serverList}>
        {servers?.map((server) => (
          <ServerRow key={server.id} server={server} domain={`${server.id}.${session.mailDomain}`} />
        ))}
      </ul>
    </Page>
  );
}

function ServerRow({ server, domain }: { readonly server: Server; readonly domain: string }): ReactElement {
  const { data: last } = useLastReceived(server);
  const { expiresAt } = server;
  const now = useNow();
  return (
    <li className={styles.serverRow}>
      <Link className={layout.clip} href={inboxPath(server.id)}>
        {server.name}
      </Link>
      <div className={layout.row}>
        <code className={clsx(layout.clip, layout.soft)}>{strings.servers.address(domain)}</code>
        <CopyButton text={strings.servers.address(domain)} name={pageStrings.connect.address} />
        {expiresAt !== null && (
          <span className={badgeStyles.badge}>{strings.servers.expires(formatSpan(Date.parse(expiresAt) - now))}</span>
        )}
      </div>
      <div className={styles.figure} title={strings.servers.countHint}>
        {strings.servers.count(server.messages)}
      </div>
      <div className={clsx(styles.figure, layout.faint)}>{last != null && <Age instant={last} />}</div>
    </li>
  );
}
