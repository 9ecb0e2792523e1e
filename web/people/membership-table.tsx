import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useChangeMembership } from "../api/people.ts";
import { Link } from "../navigation/location.tsx";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import fieldStyles from "../shared/field.module.css";
import layout from "../shared/layout.module.css";
import { Table } from "../shared/table.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Member, Role } from "../wire.ts";

/** Membership as a row shows it. */
export interface MembershipRow {
  readonly member: Member;
  /** Name of the other side: the user in the table of a team, the team in that of a user. */
  readonly name: string;
  /** Second line below the name. */
  readonly note?: string;
  readonly href: string | null;
  readonly mayChange: boolean;
}

/** Memberships with their roles, which take effect when they are selected. */
export function MembershipTable({
  head,
  rows,
}: {
  readonly head: string;
  readonly rows: readonly MembershipRow[];
}): ReactElement {
  const change = useChangeMembership();
  const labels = pageStrings.teams;
  return (
    <>
      <Table heads={[head, labels.role, labels.source, ""]}>
        {rows.map(({ member, name, note, href, mayChange }) => (
          <tr key={member.user + member.team}>
            <td className={layout.anywhere}>
              {href === null ? name : <Link href={href}>{name}</Link>}
              {note !== undefined && <div className={layout.faint}>{note}</div>}
            </td>
            <td>
              {mayChange ? (
                <RoleSelect
                  name={labels.roleOf(name)}
                  value={member.role}
                  onChange={(role) => change.mutate({ ...member, role })}
                />
              ) : (
                labels.roles[member.role]
              )}
            </td>
            <td className={layout.faint} data-label={labels.source}>
              {labels.sources[member.source]}
            </td>
            <td>
              {mayChange && (
                <div className={clsx(layout.row, layout.actions)}>
                  <Button
                    variant="danger"
                    aria-label={labels.removeNamed(name)}
                    onClick={() => change.mutate({ ...member, role: null })}
                  >
                    {labels.removeMember}
                  </Button>
                </div>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {change.error !== null && <ErrorNotice error={change.error} />}
    </>
  );
}

function RoleSelect(props: {
  readonly name: string;
  readonly value: Role;
  readonly onChange: (role: Role) => void;
}): ReactElement {
  const { name, value, onChange } = props;
  return (
    <select
      className={fieldStyles.input}
      aria-label={name}
      value={value}
      onChange={(event) => onChange(event.target.value as Role)}
    >
      {Object.entries(pageStrings.teams.roles).map(([role, text]) => (
        <option key={role} value={role}>
          {text}
        </option>
      ))}
    </select>
  );
}
