import { clsx } from "clsx";
import { type ReactElement, useState } from "react";
import {
  useChangeMembership,
  useMembers,
  useOwningTeams,
  useRemovePath,
  useUpdateTeam,
  useUsers,
} from "../api/people.ts";
import { usePermissions } from "../api/permissions.ts";
import { useServers } from "../api/servers.ts";
import { useSession } from "../api/session.ts";
import { Link, navigate } from "../navigation/location.tsx";
import { inboxPath, routePath } from "../navigation/routes.ts";
import { pageStrings } from "../page-strings.ts";
import { Button } from "../shared/button.tsx";
import { Field, fieldsOf, optionsOf, SelectField } from "../shared/field.tsx";
import { ConfirmButton, FormContent, Form, ActionRow, whenDone } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { ErrorNotice } from "../shared/notice.tsx";
import { Page, Panel } from "../shared/page.tsx";
import type { Role, Team, TeamRequest, User } from "../wire.ts";
import { MembershipTable } from "./membership-table.tsx";

const labels = pageStrings.teams;

const listPath = routePath({ kind: "teams" });
/** Most users that are suggested while an address is typed. */
const suggestionCountMax = 20;

/** A team: its members, its servers, its fields, and its removal; undefined for an unknown one. */
export function TeamPage({ team }: { readonly team: Team | undefined }): ReactElement {
  const { isAccount, canManage } = usePermissions();
  const mayAppoint = useOwningTeams().some(({ id }) => id === team?.id) && canManage;
  const { data: session } = useSession();
  const back = <Link href={listPath}>{labels.all}</Link>;
  if (team === undefined) return <Page title={labels.unknown} lead={back} />;
  const role = session?.user?.teams.find(({ id }) => id === team.id)?.role;
  return (
    <Page title={team.name} lead={back}>
      {role !== undefined && <Panel>{labels.yourRole(labels.roles[role])}</Panel>}
      <Panel className={layout.stack}>
        <h2>{labels.members}</h2>
        <Members team={team} mayAppoint={mayAppoint} seesUsers={isAccount || mayAppoint} />
      </Panel>
      <Panel className={layout.stack}>
        <h2>{labels.servers}</h2>
        <ServersOfTeam team={team.id} />
      </Panel>
      {isAccount && canManage && (
        <>
          <Panel>
            <TeamForm team={team} />
          </Panel>
          <Panel>
            <RemoveTeam team={team} />
          </Panel>
        </>
      )}
    </Page>
  );
}

function Members(props: {
  readonly team: Team;
  readonly mayAppoint: boolean;
  readonly seesUsers: boolean;
}): ReactElement {
  const { team, mayAppoint, seesUsers } = props;
  const { data: members, error } = useMembers(team.id);
  const { data: users = [] } = useUsers(mayAppoint);
  const rows = members?.map((member) => ({
    member,
    name: member.name || member.email,
    ...(member.name !== "" && { note: member.email }),
    href: seesUsers ? routePath({ kind: "users", id: member.user }) : null,
    mayChange: mayAppoint,
  }));
  return (
    <>
      {error !== null && <ErrorNotice error={error} />}
      {rows?.length === 0 && <p className={layout.faint}>{labels.noMembers}</p>}
      {rows !== undefined && rows.length > 0 && <MembershipTable head={pageStrings.users.user} rows={rows} />}
      {mayAppoint && members !== undefined && (
        <AddMemberForm
          team={team.id}
          users={users.filter(({ id }) => !members.some(({ user }) => user === id))}
          initialRole={team.role}
        />
      )}
    </>
  );
}

/** Form that finds a user by its address, of which there may be too many for a select. */
function AddMemberForm(props: {
  readonly team: string;
  readonly users: readonly User[];
  readonly initialRole: Role;
}): ReactElement {
  const { team, users, initialRole } = props;
  const [email, setEmail] = useState("");
  const [role, setRole] = useState(initialRole);
  const [isUnknown, setUnknown] = useState(false);
  const change = useChangeMembership();
  const wanted = email.trim().toLowerCase();
  const submit = (): void => {
    const user = users.find((one) => one.email.toLowerCase() === wanted);
    setUnknown(user === undefined);
    const clear = { onSuccess: () => setEmail("") };
    if (user !== undefined) change.mutate({ team, user: user.id, role }, clear);
  };
  return (
    <Form className={clsx(layout.stack, layout.tight)} onSubmit={submit}>
      <div className={clsx(layout.row, layout.wrap, layout.ends)}>
        <div className={layout.grow}>
          <Field label={labels.addMember} type="email" required list="users" value={email} onChange={setEmail} />
        </div>
        <SelectField label={labels.role} value={role} options={optionsOf(labels.roles)} onChange={setRole} />
        <Button type="submit" disabled={change.isPending}>
          {labels.add}
        </Button>
      </div>
      <datalist id="users">
        {users
          .filter((user) => `${user.email} ${user.name}`.toLowerCase().includes(wanted))
          .slice(0, suggestionCountMax)
          .map((user) => (
            <option key={user.id} value={user.email}>
              {user.name}
            </option>
          ))}
      </datalist>
      {isUnknown && (
        <p className={layout.bad} role="alert">
          {labels.unknownUser}
        </p>
      )}
      {change.error !== null && <ErrorNotice error={change.error} />}
    </Form>
  );
}

function ServersOfTeam({ team }: { readonly team: string }): ReactElement {
  const { data: servers } = useServers();
  const own = servers?.filter((server) => server.team === team);
  return (
    <>
      {own?.length === 0 && <p className={layout.faint}>{labels.noServers}</p>}
      <ul className={clsx(layout.stack, layout.tight)}>
        {own?.map(({ id, name }) => (
          <li key={id}>
            <Link href={inboxPath(id)}>{name}</Link>
          </li>
        ))}
      </ul>
    </>
  );
}

function TeamForm({ team }: { readonly team: Team }): ReactElement {
  const [draft, setDraft] = useState(teamDraftOf(team));
  const update = useUpdateTeam(team.id);
  return (
    <FormContent
      label={pageStrings.users.save}
      request={update}
      onSubmit={() => update.mutate(teamRequestOf(draft), whenDone(pageStrings.users.saved))}
    >
      <h2>{labels.settings}</h2>
      <TeamFields draft={draft} onChange={setDraft} />
    </FormContent>
  );
}

function RemoveTeam({ team }: { readonly team: Team }): ReactElement {
  const remove = useRemovePath();
  return (
    <ActionRow lead={labels.removeLead}>
      <ConfirmButton
        title={labels.removeTitle(team.name)}
        lead={labels.removeLead}
        label={labels.remove}
        action={remove}
        input={`/api/teams/${team.id}`}
        done={() => navigate(listPath)}
      />
    </ActionRow>
  );
}

/** Fields of a team that are typed. */
interface TeamDraft {
  readonly name: string;
  /** Empty for none. */
  readonly externalId: string;
  readonly role: Role;
}

/** Fields of a new team. */
export const emptyTeam: TeamDraft = { name: "", externalId: "", role: "tester" };

/** Returns the fields of a team. */
function teamDraftOf({ name, externalId, role }: Team): TeamDraft {
  return { name, externalId: externalId ?? "", role };
}

/** Returns the request of the fields. */
export function teamRequestOf({ name, externalId, role }: TeamDraft): TeamRequest {
  return { name: name.trim(), externalId: externalId.trim() || null, role };
}

/** Fields of a team. */
export function TeamFields(props: {
  readonly draft: TeamDraft;
  readonly onChange: (draft: TeamDraft) => void;
}): ReactElement {
  const { draft, onChange } = props;
  const field = fieldsOf(draft, onChange);
  return (
    <>
      <Field label={labels.name} required maxLength={200} {...field("name")} />
      <Field label={labels.externalId} maxLength={1000} placeholder={labels.externalIdHint} {...field("externalId")} />
      <SelectField label={labels.groupRole} options={optionsOf(labels.roles)} {...field("role")} />
    </>
  );
}
