import { LogOut } from "lucide-react";
import type { ReactElement } from "react";
import { Button } from "../shared/button.tsx";
import { Dialog } from "../shared/dialog.tsx";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import type { Session, SessionUser } from "../wire.ts";
import { useSignOut } from "../api/session.ts";

interface PersonProps {
  readonly session: Session;
  readonly user: SessionUser;
}

/** Dialog about the person that is signed in. */
export function PersonDialog(props: PersonProps & { readonly onClose: () => void }): ReactElement {
  const { onClose, ...person } = props;
  const signOut = useSignOut();
  return (
    <Dialog title={strings.person.title} onClose={onClose}>
      <Person {...person} />
      <div>
        <Button onClick={signOut}>
          <LogOut size={15} aria-hidden />
          {strings.signIn.out}
        </Button>
      </div>
    </Dialog>
  );
}

/** Name, address and roles of the person that is signed in. */
export function Person({ session, user }: PersonProps): ReactElement {
  const { name, email, teams } = user;
  const labels = strings.person;
  const roles = [
    ...(session.isAccount ? [labels.owner] : []),
    ...teams.map((team) => labels.role(team.name, strings.roles[team.role])),
  ];
  return (
    <div className={layout.stack}>
      <div className={layout.anywhere}>
        {name !== "" && <b>{name}</b>}
        <div className={layout.soft}>{email}</div>
      </div>
      <ul className={layout.anywhere}>
        {(roles.length === 0 ? [labels.noTeams] : roles).map((role) => (
          <li key={role}>{role}</li>
        ))}
      </ul>
    </div>
  );
}
