import { Plus, UsersRound } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useCreateTeam, useTeams } from "../api/people.ts";
import { usePermissions } from "../api/permissions.ts";
import { useServers } from "../api/servers.ts";
import { useSession } from "../api/session.ts";
import { Link, navigate, useRoute } from "../navigation/location.tsx";
import { routePath } from "../navigation/routes.ts";
import { DialogButton } from "../shared/dialog.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import { FormDialog } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { EmptyState, Page, Panel } from "../shared/page.tsx";
import { Table } from "../shared/table.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Team } from "../wire.ts";
import { emptyTeam, TeamFields, TeamPage, teamRequestOf } from "./team-page.tsx";

const labels = pageStrings.teams;

/** The teams of the session, or one of them at an address with its id. */
export function TeamsPage(): ReactElement {
  const route = useRoute();
  const { data: teams, error, refetch } = useTeams();
  const { isAccount, canManage } = usePermissions();
  const id = "id" in route ? route.id : undefined;
  if (id !== undefined && teams !== undefined) return <TeamPage key={id} team={teams.find((team) => team.id === id)} />;
  const create = (
    <DialogButton variant="primary" label={labels.create} icon={Plus}>
      {(close) => <CreateTeamDialog onClose={close} />}
    </DialogButton>
  );
  return (
    <Page title={labels.title} lead={labels.lead} action={isAccount && canManage && create}>
      <Panel className={layout.stack}>
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {teams?.length === 0 && (
          <EmptyState icon={UsersRound} text={labels.none} {...(isAccount && { hint: labels.noneHint })} />
        )}
        {teams !== undefined && teams.length > 0 && <TeamTable teams={teams} />}
      </Panel>
    </Page>
  );
}

function TeamTable({ teams }: { readonly teams: readonly Team[] }): ReactElement {
  const { data: servers = [] } = useServers();
  const { data: session } = useSession();
  const own = new Map(session?.user?.teams.map(({ id, role }) => [id, role]));
  return (
    <Table heads={[labels.team, labels.servers, ...(own.size > 0 ? [labels.ownRole] : [])]}>
      {teams.map(({ id, name }) => {
        const role = own.get(id);
        return (
          <tr key={id}>
            <td className={layout.anywhere}>
              <Link href={routePath({ kind: "teams", id })}>{name}</Link>
            </td>
            <td data-label={labels.servers}>{servers.filter(({ team }) => team === id).length}</td>
            {own.size > 0 && <td data-label={labels.ownRole}>{role === undefined ? null : labels.roles[role]}</td>}
          </tr>
        );
      })}
    </Table>
  );
}

/** Dialog that adds a team and opens its page, where it gets its members. */
function CreateTeamDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [draft, setDraft] = useState(emptyTeam);
  const create = useCreateTeam();
  return (
    <FormDialog
      title={labels.create}
      lead={labels.createLead}
      label={labels.submit}
      request={create}
      onSubmit={() => {
        create.mutate(teamRequestOf(draft), {
          onSuccess: ({ id }) => navigate(routePath({ kind: "teams", id })),
        });
      }}
      onClose={onClose}
    >
      <TeamFields draft={draft} onChange={setDraft} />
    </FormDialog>
  );
}
