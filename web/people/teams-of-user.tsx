import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useChangeMembership, useOwningTeams, useTeams, useTeamsOfUser, type NamedTeam } from "../api/people.ts";
import { usePermissions } from "../api/permissions.ts";
import { routePath } from "../navigation/routes.ts";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { optionsOf, SelectField } from "../shared/field.tsx";
import { Form } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import type { Role, User } from "../wire.ts";
import { MembershipTable } from "./membership-table.tsx";

/** Teams of a user with its roles, and a form that adds it to others. */
export function TeamsOfUser({ user }: { readonly user: User }): ReactElement {
  const { data: memberships, error } = useTeamsOfUser(user.id);
  const { data: teams = [] } = useTeams();
  const owning = useOwningTeams();
  const { canManage } = usePermissions();
  const labels = pageStrings.users;
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
  const labels = pageStrings.users;
  return (
    <Form
      className={layout.stack}
      onSubmit={() => {
        change.mutate({ team, user, role });
      }}
    >
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
