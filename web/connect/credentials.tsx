import { clsx } from "clsx";
import type { ReactElement, ReactNode } from "react";
import { usePermissions } from "../api/permissions.ts";
import { usePassword, useResetPassword } from "../api/passwords.ts";
import { addressOf } from "../base-path.ts";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { CopyButton } from "../shared/copy.tsx";
import { DialogButton } from "../shared/dialog-button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import tableStyles from "../shared/table.module.css";
import { pageStrings } from "../page-strings.ts";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";

/** Connection values of a server, each with a copy button; `isShort` for those alone that applications are given. */
export function Credentials(props: {
  readonly session: Session;
  readonly server: string;
  readonly isShort?: boolean;
}): ReactElement {
  const { session, server, isShort = false } = props;
  const labels = pageStrings.connect;
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
            <Value name={labels.host} value={smtp.host} />
            <Value name={labels.port} value={smtp.port.toString()} />
          </>
        )}
        <Value name={labels.user} value={server} />
        <Password server={server} />
        <Value name={labels.address} value={strings.servers.address(`${server}.${session.mailDomain}`)} />
        {!isShort && (
          <>
            <dt>{labels.security}</dt>
            <dd>{labels.securityText}</dd>
            <Value name={labels.api} value={session.url}>
              <a href={addressOf("/docs")} data-inline target="_blank" rel="noreferrer">
                {labels.apiReference}
              </a>
            </Value>
            <Value name={labels.serverId} value={server} />
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
  const labels = pageStrings.connect;
  if (!canManage) {
    return (
      <>
        <dt>{labels.password}</dt>
        <dd className={layout.faint}>{labels.passwordHidden}</dd>
      </>
    );
  }
  const reset = canConfigure && (
    <DialogButton label={labels.reset}>{(close) => <ResetDialog server={server} onClose={close} />}</DialogButton>
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
        <Value name={labels.password} value={password}>
          {reset}
        </Value>
      )}
    </>
  );
}

function ResetDialog({ server, onClose }: { readonly server: string; readonly onClose: () => void }): ReactElement {
  const action = useResetPassword(server);
  const labels = pageStrings.connect;
  return (
    <ConfirmDialog
      title={labels.resetTitle}
      lead={labels.resetLead}
      label={labels.resetSubmit}
      action={action}
      input={undefined}
      done={labels.resetDone}
      onClose={onClose}
    />
  );
}

function Value(props: { readonly name: string; readonly value: string; readonly children?: ReactNode }): ReactElement {
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
