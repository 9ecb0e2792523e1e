import { clsx } from "clsx";
import { type ReactElement, useState } from "react";
import {
  type NamedTeam,
  useChangeMembership,
  useOwningTeams,
  useRemovePath,
  useTeams,
  useTeamsOfUser,
  useUpdateUser,
} from "../api/people.ts";
import { usePermissions } from "../api/permissions.ts";
import { useSession } from "../api/session.ts";
import { Link, navigate } from "../navigation/location.tsx";
import { routePath } from "../navigation/routes.ts";
import { pageStrings } from "../page-strings.ts";
import { Button } from "../shared/button.tsx";
import { CheckField, Field, fieldsOf, optionsOf, SelectField } from "../shared/field.tsx";
import { ConfirmButton, FormContent, Form, ReadOnly, ActionRow, whenDone } from "../shared/form.tsx";
import { formatInstant } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { ErrorNotice } from "../shared/notice.tsx";
import { Page, Panel } from "../shared/page.tsx";
import type { Role, User, UserUpdate } from "../wire.ts";
import { MembershipTable } from "./membership-table.tsx";

const labels = pageStrings.users;

const listPath = routePath({ kind: "users" });

/** A user: its fields, its teams, and the end of its access; undefined for an unknown one. */
export function UserPage({ user }: { readonly user: User | undefined }): ReactElement {
  const { isAccount, canManage } = usePermissions();
  const { data: session } = useSession();
  const back = <Link href={listPath}>{labels.all}</Link>;
  if (user === undefined) return <Page title={labels.unknown} lead={back} />;
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
  const isSame = draft.email === email && draft.name === name && draft.isOwner === isOwner;
  return (
    <FormContent
      label={labels.save}
      request={update}
      canSubmit={!isSame}
      onSubmit={() => update.mutate(userRequestOf(draft), whenDone(labels.saved))}
    >
      <UserFields draft={draft} onChange={setDraft} />
      <p className={layout.faint}>
        {labels.facts({ userName, issuer, lastSeen: lastSeen === null ? null : formatInstant(lastSeen) })}
      </p>
    </FormContent>
  );
}

/** Deactivation, which can be undone, and removal. */
function EndOfAccess({ user }: { readonly user: User }): ReactElement {
  const update = useUpdateUser(user.id);
  const remove = useRemovePath();
  return (
    <div className={layout.stack}>
      <h2>{labels.access}</h2>
      <ActionRow lead={user.isActive ? labels.deactivateLead : labels.activateLead}>
        <Button
          variant={user.isActive ? "danger" : "plain"}
          disabled={update.isPending}
          onClick={() => update.mutate({ isActive: !user.isActive })}
        >
          {user.isActive ? labels.deactivate : labels.activate}
        </Button>
      </ActionRow>
      {update.error !== null && <ErrorNotice error={update.error} />}
      <ActionRow lead={labels.removeLead}>
        <ConfirmButton
          title={labels.removeTitle(user.name || user.email)}
          lead={labels.removeLead}
          label={labels.remove}
          action={remove}
          input={`/api/users/${user.id}`}
          done={() => navigate(listPath)}
        />
      </ActionRow>
    </div>
  );
}

/** Fields of a user that are typed. */
type UserDraft = Pick<User, "email" | "name" | "isOwner">;

/** Fields of a new user. */
export const emptyUser: UserDraft = { email: "", name: "", isOwner: false };

/** Returns the request of the fields. */
export function userRequestOf({ email, name, isOwner }: UserDraft): UserUpdate {
  return { email: email.trim(), name: name.trim(), isOwner };
}

/** Fields of a user. */
export function UserFields(props: {
  readonly draft: UserDraft;
  readonly onChange: (draft: UserDraft) => void;
}): ReactElement {
  const { draft, onChange } = props;
  const field = fieldsOf(draft, onChange);
  return (
    <>
      <Field label={labels.email} type="email" required {...field("email")} />
      <Field label={labels.name} maxLength={200} {...field("name")} />
      <CheckField label={labels.ownerHint} {...field("isOwner")} />
    </>
  );
}

/** Teams of a user with its roles, and a form that adds it to others. */
function TeamsOfUser({ user }: { readonly user: User }): ReactElement {
  const { data: memberships, error } = useTeamsOfUser(user.id);
  const { data: teams = [] } = useTeams();
  const owning = useOwningTeams();
  const { canManage } = usePermissions();
  const others = canManage ? owning.filter(({ id }) => memberships?.some(({ team }) => team === id) === false) : [];
  const rows = memberships?.map((member) => ({
    member,
    // A manager of one team is not told the names of others.
    name: teams.find(({ id }) => id === member.team)?.name ?? labels.otherTeam,
    href: routePath({ kind: "teams", id: member.team }),
    mayChange: canManage && owning.some(({ id }) => id === member.team),
  }));
  return (
    <>
      {error !== null && <ErrorNotice error={error} />}
      {rows?.length === 0 && <p className={layout.faint}>{user.isOwner ? labels.ownerOnly : labels.noTeams}</p>}
      {rows !== undefined && rows.length > 0 && <MembershipTable head={labels.team} rows={rows} />}
      {others.length > 0 && <AddTeamForm key={others[0]?.id} user={user.id} teams={others} />}
    </>
  );
}

function AddTeamForm(props: { readonly user: string; readonly teams: readonly NamedTeam[] }): ReactElement {
  const { user, teams } = props;
  const [team, setTeam] = useState(teams[0]?.id ?? "");
  const [role, setRole] = useState<Role>("tester");
  const change = useChangeMembership();
  return (
    <Form className={layout.stack} onSubmit={() => change.mutate({ team, user, role })}>
      <div className={clsx(layout.row, layout.wrap, layout.ends)}>
        <SelectField
          label={labels.addTeam}
          value={team}
          options={teams.map(({ id, name }) => [id, name])}
          onChange={setTeam}
        />
        <SelectField
          label={pageStrings.teams.role}
          value={role}
          options={optionsOf(pageStrings.teams.roles)}
          onChange={setRole}
        />
        <Button type="submit" disabled={change.isPending}>
          {labels.add}
        </Button>
      </div>
      {change.error !== null && <ErrorNotice error={change.error} />}
    </Form>
  );
}
