import type { ReactElement } from "react";
import { CopyButton } from "../shared/copy.tsx";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";

/** Values that settings are made of, each to be copied. */
export function Credentials(props: {
  readonly session: Session;
  readonly server: string;
  readonly password: string;
}): ReactElement {
  const { session, server, password } = props;
  const words = strings.connect;
  const { smtp } = session;
  return (
    <div className="stack tight">
      <dl className="pairs">
        <Value name={words.host} value={smtp?.host ?? words.off} />
        {smtp !== null && <Value name={words.port} value={smtp.port.toString()} />}
        <dt>{words.security}</dt>
        <dd>{words.securityText}</dd>
        <Value name={words.address} value={strings.servers.address(`${server}.${session.mailDomain}`)} />
        <Value name={words.user} value={server} />
        <Value name={words.password} value={password} />
        <Value name={words.api} value={session.url}>
          <a href="/docs" target="_blank" rel="noreferrer">
            {words.apiReference}
          </a>
        </Value>
        <Value name={words.serverId} value={server} />
      </dl>
      <p className="faint small">{words.authText}</p>
    </div>
  );
}

function Value(props: {
  readonly name: string;
  readonly value: string;
  readonly children?: ReactElement;
}): ReactElement {
  const { name, value, children } = props;
  return (
    <>
      <dt>{name}</dt>
      <dd className="row">
        <code>{value}</code>
        <CopyButton text={value} name={name} />
        {children}
      </dd>
    </>
  );
}
