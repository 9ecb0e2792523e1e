import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useRemovePath, useUpdateUser } from "../api/people.ts";
import { usePermissions } from "../api/permissions.ts";
import { useSession } from "../api/session.ts";
import { Link, navigate } from "../navigation/location.tsx";
import { routePath } from "../navigation/routes.ts";
import { Button } from "../shared/button.tsx";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { DialogButton } from "../shared/dialog-button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Form } from "../shared/form.tsx";
import { formatInstant } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { Page, Panel } from "../shared/page.tsx";
import { ReadOnly } from "../shared/read-only.tsx";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { User } from "../wire.ts";
import { TeamsOfUser } from "./teams-of-user.tsx";
import { UserFields, userRequestOf } from "./user-fields.tsx";

const listPath = routePath({ kind: "users" });

/** A user: its fields, its teams, and the end of its access; undefined for an unknown one. */
export function UserPage({ user }: { readonly user: User | undefined }): ReactElement {
  const { isAccount, canManage } = usePermissions();
  const { data: session } = useSession();
  const labels = pageStrings.users;
  const back = <Link href={listPath}>{labels.all}</Link>;
  if (user === undefined) {
    return (
      <Page title={labels.unknown} lead={back}>
        {null}
      </Page>
    );
  }
  const mayChange = isAccount && canManage;
  return (
    <Page title={user.name || user.email} lead={back}>
      <Panel>
        <ReadOnly isReadOnly={!mayChange}>
          <UserForm user={user} />
        </ReadOnly>
      </Panel>
      <Panel className={layout.stack}>
        <h2>{labels.teams}</h2>
        <TeamsOfUser user={user} />
      </Panel>
      {mayChange && user.id !== session?.user?.id && (
        <Panel>
          <EndOfAccess user={user} />
        </Panel>
      )}
    </Page>
  );
}

function UserForm({ user }: { readonly user: User }): ReactElement {
  const { email, name, isOwner, userName, issuer, lastSeen } = user;
  const [draft, setDraft] = useState({ email, name, isOwner });
  const update = useUpdateUser(user.id);
  const labels = pageStrings.users;
  const isSame = draft.email === email && draft.name === name && draft.isOwner === isOwner;
  return (
    <Form
      className={layout.stack}
      onSubmit={() => {
        update.mutate(userRequestOf(draft), { onSuccess: () => showToast({ text: labels.saved }) });
      }}
    >
      <UserFields draft={draft} onChange={setDraft} />
      <p className={layout.faint}>
        {labels.facts({ userName, issuer, lastSeen: lastSeen === null ? null : formatInstant(lastSeen) })}
      </p>
      {update.error !== null && <ErrorNotice error={update.error} />}
      <div>
        <Button type="submit" disabled={update.isPending || isSame}>
          {labels.save}
        </Button>
      </div>
    </Form>
  );
}

/** Deactivation, which can be undone, and removal. */
function EndOfAccess({ user }: { readonly user: User }): ReactElement {
  const update = useUpdateUser(user.id);
  const remove = useRemovePath();
  const labels = pageStrings.users;
  return (
    <div className={layout.stack}>
      <h2>{labels.access}</h2>
      <div className={clsx(layout.row, layout.wrap)}>
        <p className={clsx(layout.soft, layout.fill)}>{user.isActive ? labels.deactivateLead : labels.activateLead}</p>
        <Button
          variant={user.isActive ? "danger" : "plain"}
          disabled={update.isPending}
          onClick={() => {
            update.mutate({ isActive: !user.isActive });
          }}
        >
          {user.isActive ? labels.deactivate : labels.activate}
        </Button>
      </div>
      {update.error !== null && <ErrorNotice error={update.error} />}
      <div className={clsx(layout.row, layout.wrap)}>
        <p className={clsx(layout.soft, layout.fill)}>{labels.removeLead}</p>
        <DialogButton variant="danger" label={labels.remove}>
          {(close) => (
            <ConfirmDialog
              title={labels.removeTitle(user.name || user.email)}
              lead={labels.removeLead}
              label={labels.remove}
              action={remove}
              input={`/api/users/${user.id}`}
              done={() => {
                navigate(listPath);
              }}
              onClose={close}
            />
          )}
        </DialogButton>
      </div>
    </div>
  );
}
