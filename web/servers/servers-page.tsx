import { Plus } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useLastArrival, useServers } from "../api/servers.ts";
import { Link } from "../navigation/location.tsx";
import { routePath } from "../navigation/place.ts";
import { CopyButton } from "../shared/copy.tsx";
import { formatDay } from "../shared/format.ts";
import { Age } from "../shared/age.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import type { Server, Session } from "../wire.ts";
import { CreateServerDialog } from "./create-server-dialog.tsx";

/** All servers that the session opens, with what they hold. */
export function ServersPage({ session }: { readonly session: Session }): ReactElement {
  const { data: servers, error, refetch } = useServers();
  const [isCreating, setCreating] = useState(false);
  return (
    <main className="page" id="content">
      <div className="page-inner">
        <div className="page-head">
          <div className="stack tight">
            <h1>{strings.servers.title}</h1>
            <p className="soft">{strings.servers.lead}</p>
          </div>
          {session.server === null && (
            <button
              type="button"
              className="button primary"
              onClick={() => {
                setCreating(true);
              }}
            >
              <Plus size={15} aria-hidden />
              {strings.servers.create}
            </button>
          )}
        </div>
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {servers?.length === 0 && <p className="panel soft">{strings.servers.noneAtAll}</p>}
        <ul className="server-list">
          {servers?.map((server) => (
            <ServerRow key={server.id} server={server} domain={`${server.id}.${session.mailDomain}`} />
          ))}
        </ul>
      </div>
      {isCreating && (
        <CreateServerDialog
          onClose={() => {
            setCreating(false);
          }}
        />
      )}
    </main>
  );
}

function ServerRow({ server, domain }: { readonly server: Server; readonly domain: string }): ReactElement {
  const { data: last } = useLastArrival(server);
  const { expiresAt } = server;
  return (
    <li className="server-row">
      <Link className="clip" href={routePath({ kind: "mail", server: server.id, message: null, tab: null })}>
        {server.name}
      </Link>
      <div className="row">
        <code className="clip soft">{strings.servers.address(domain)}</code>
        <CopyButton text={strings.servers.address(domain)} name={strings.connect.address} />
        {expiresAt !== null && <span className="badge">{strings.servers.expires(formatDay(expiresAt))}</span>}
      </div>
      <div className="figure">{strings.servers.count(server.messages)}</div>
      <div className="figure faint">
        {last === null || last === undefined ? strings.servers.none : <Age instant={last} />}
      </div>
    </li>
  );
}
