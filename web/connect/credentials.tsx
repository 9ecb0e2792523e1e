import { clsx } from "clsx";
import type { ReactElement } from "react";
import { CopyButton } from "../shared/copy.tsx";
import layout from "../shared/layout.module.css";
import tableStyles from "../shared/table.module.css";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";

/** Connection values of a server, each with a copy button. */
export function Credentials(props: {
  readonly session: Session;
  readonly server: string;
  readonly password: string;
}): ReactElement {
  const { session, server, password } = props;
  const labels = strings.connect;
  const { smtp } = session;
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <dl className={tableStyles.pairs}>
        <Value name={labels.host} value={smtp?.host ?? labels.off} />
        {smtp !== null && <Value name={labels.port} value={smtp.port.toString()} />}
        <dt>{labels.security}</dt>
        <dd>{labels.securityText}</dd>
        <Value name={labels.address} value={strings.servers.address(`${server}.${session.mailDomain}`)} />
        <Value name={labels.user} value={server} />
        <Value name={labels.password} value={password} />
        <Value name={labels.api} value={session.url}>
          <a href="/docs" target="_blank" rel="noreferrer">
            {labels.apiReference}
          </a>
        </Value>
        <Value name={labels.serverId} value={server} />
      </dl>
      <p className={clsx(layout.faint, layout.small)}>{labels.authText}</p>
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
      <dd className={clsx(layout.row, layout.wrap)}>
        <code>{value}</code>
        <CopyButton text={value} name={name} />
        {children}
      </dd>
    </>
  );
}
