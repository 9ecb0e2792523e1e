import { Plus, Users } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useCreateUser, useUsers } from "../api/people.ts";
import { usePermissions } from "../api/permissions.ts";
import { Link, navigate, useRoute } from "../navigation/location.tsx";
import { routePath } from "../navigation/routes.ts";
import badgeStyles from "../shared/badge.module.css";
import { DialogButton } from "../shared/dialog.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import { Field } from "../shared/field.tsx";
import { FormDialog } from "../shared/form.tsx";
import { formatDay } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { EmptyState, Page, Panel } from "../shared/page.tsx";
import { Table } from "../shared/table.tsx";
import { pageStrings } from "../page-strings.ts";
import type { User } from "../wire.ts";
import { emptyUser, UserFields, UserPage, userRequestOf } from "./user-page.tsx";

const labels = pageStrings.users;

/** Most rows that are shown at once. */
const rowCountMax = 200;
/** Number of users from which they can be filtered. */
const filteredCountMin = 10;

/** The users of the account, or one of them at an address with its id. */
export function UsersPage(): ReactElement {
  const route = useRoute();
  const { data: users, error, refetch } = useUsers();
  const { isAccount, canManage } = usePermissions();
  const id = "id" in route ? route.id : undefined;
  if (id !== undefined && users !== undefined) return <UserPage key={id} user={users.find((user) => user.id === id)} />;
  const create = (
    <DialogButton variant="primary" label={labels.create} icon={Plus}>
      {(close) => <CreateUserDialog onClose={close} />}
    </DialogButton>
  );
  return (
    <Page title={labels.title} lead={labels.lead} action={isAccount && canManage && create}>
      <Panel className={layout.stack}>
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {users?.length === 0 && <EmptyState icon={Users} text={labels.none} hint={labels.noneHint} />}
        {users !== undefined && users.length > 0 && <UserList users={users} />}
      </Panel>
    </Page>
  );
}

function UserList({ users }: { readonly users: readonly User[] }): ReactElement {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const found = users.filter(({ email, name }) => `${email} ${name}`.toLowerCase().includes(wanted));
  return (
    <>
      {users.length >= filteredCountMin && (
        <Field label={labels.filter} type="search" value={text} onChange={setText} />
      )}
      {found.length === 0 ? (
        <p className={layout.faint}>{labels.noMatch}</p>
      ) : (
        <Table heads={[labels.user, labels.state, labels.lastSeen]}>
          {found.slice(0, rowCountMax).map((user) => (
            <UserRow key={user.id} user={user} />
          ))}
        </Table>
      )}
      {found.length > rowCountMax && <p className={layout.faint}>{labels.more(found.length - rowCountMax)}</p>}
    </>
  );
}

function UserRow({ user }: { readonly user: User }): ReactElement {
  const { id, email, name, isOwner, isActive, lastSeen } = user;
  return (
    <tr>
      <td className={layout.anywhere}>
        <Link href={routePath({ kind: "users", id })}>{name || email}</Link>
        {name !== "" && <div className={layout.faint}>{email}</div>}
      </td>
      <td>
        <div className={layout.row}>
          {isOwner && <span className={badgeStyles.badge}>{labels.owner}</span>}
          <span className={badgeStyles.badge} data-result={isActive ? "Pass" : "Warning"}>
            {isActive ? labels.active : labels.inactive}
          </span>
        </div>
      </td>
      <td className={layout.faint} data-label={labels.lastSeen}>
        {lastSeen === null ? labels.never : formatDay(lastSeen)}
      </td>
    </tr>
  );
}

/** Dialog that adds a user and opens its page, where it gets its teams. */
function CreateUserDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [draft, setDraft] = useState(emptyUser);
  const create = useCreateUser();
  return (
    <FormDialog
      title={labels.create}
      lead={labels.createLead}
      label={labels.submit}
      request={create}
      onSubmit={() => {
        create.mutate(userRequestOf(draft), {
          onSuccess: ({ id }) => navigate(routePath({ kind: "users", id })),
        });
      }}
      onClose={onClose}
    >
      <UserFields draft={draft} onChange={setDraft} />
    </FormDialog>
  );
}
