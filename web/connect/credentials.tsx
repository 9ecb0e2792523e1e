import { clsx } from "clsx";
import type { ReactElement } from "react";
import { usePermissions } from "../api/permissions.ts";
import { usePassword, useResetPassword } from "../api/credentials.ts";
import { addressOf } from "../base-path.ts";
import { ErrorNotice } from "../shared/notice.tsx";
import layout from "../shared/layout.module.css";
import tableStyles from "../shared/table.module.css";
import { pageStrings } from "../page-strings.ts";
import { ConfirmButton } from "../shared/form.tsx";
import { CopyPair } from "../shared/table.tsx";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";

const labels = pageStrings.connect;

/** Connection values of a server, each with a copy button; `isShort` for those alone that applications are given. */
export function Credentials(props: {
  readonly session: Session;
  readonly server: string;
  readonly isShort?: boolean;
}): ReactElement {
  const { session, server, isShort = false } = props;
  const { smtp } = session;
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <dl className={tableStyles.pairs}>
        {smtp === null ? (
          <>
            <dt>{labels.host}</dt>
            <dd>{labels.off}</dd>
          </>
        ) : (
          <>
            <CopyPair name={labels.host} value={smtp.host} />
            <CopyPair name={labels.port} value={smtp.port.toString()} />
          </>
        )}
        <CopyPair name={labels.user} value={server} />
        <Password server={server} />
        <CopyPair name={labels.address} value={strings.servers.address(`${server}.${session.mailDomain}`)} />
        {!isShort && (
          <>
            <dt>{labels.security}</dt>
            <dd>{labels.securityText}</dd>
            <CopyPair name={labels.api} value={session.url}>
              <a href={addressOf("/docs")} data-inline target="_blank" rel="noreferrer">
                {labels.apiReference}
              </a>
            </CopyPair>
            <CopyPair name={labels.serverId} value={server} />
          </>
        )}
      </dl>
      {!isShort && <p className={clsx(layout.faint, layout.small)}>{labels.authText}</p>}
    </div>
  );
}

/** SMTP password of a server, which can be replaced; keys that may not change anything do not see it. */
function Password({ server }: { readonly server: string }): ReactElement {
  const { canManage, canConfigure } = usePermissions();
  const { data: password, error } = usePassword(server);
  const action = useResetPassword(server);
  if (!canManage) {
    return (
      <>
        <dt>{labels.password}</dt>
        <dd className={layout.faint}>{labels.passwordHidden}</dd>
      </>
    );
  }
  const reset = canConfigure && (
    <ConfirmButton
      opener={labels.reset}
      variant="plain"
      title={labels.resetTitle}
      lead={labels.resetLead}
      label={labels.resetSubmit}
      action={action}
      input={undefined}
      done={labels.resetDone}
    />
  );
  return (
    <>
      {password === undefined ? (
        <>
          <dt>{labels.password}</dt>
          <dd className={clsx(layout.row, layout.wrap)}>
            {error === null ? strings.loading : <ErrorNotice error={error} />}
            {error !== null && reset}
          </dd>
        </>
      ) : (
        <CopyPair name={labels.password} value={password}>
          {reset}
        </CopyPair>
      )}
    </>
  );
}
