import { clsx } from "clsx";
import { CircleHelp, CircleUserRound, Command, LogOut, Monitor, Moon, Sun, UserRoundCog } from "lucide-react";
import { useState, type ReactElement } from "react";
import { Link } from "../navigation/location.tsx";
import type { Route } from "../navigation/routes.ts";
import { buttonClass, IconButton } from "../shared/button.tsx";
import { lazyPart } from "../shared/lazy-component.ts";
import layout from "../shared/layout.module.css";
import { setPaletteOpen } from "./palette-host.tsx";
import { useTheme } from "../shared/theme.ts";
import { strings } from "../strings.ts";
import type { Session, SessionUser } from "../wire.ts";
import styles from "./shell.module.css";
import { useSignOut } from "../api/session.ts";
import { isAccountRoute } from "./views.tsx";

/** Icons of the colour themes. */
export const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const;

const PersonDialog = lazyPart(async () => (await import("./person.tsx")).PersonDialog);

/** Account, person, commands, theme, help and sign-out; small screens have them in the menu. */
export function SessionTools(props: {
  readonly session: Session;
  /** Whether the session has pages of the account. */
  readonly hasAccount: boolean;
  readonly route: Route;
  readonly onHelp: () => void;
}): ReactElement {
  const { session, hasAccount, route, onHelp } = props;
  const signOut = useSignOut();
  const [theme, selectNextTheme] = useTheme();
  const labels = strings.shell;
  return (
    <div className={clsx(layout.row, styles.tools)}>
      {hasAccount && (
        <Link
          className={clsx(buttonClass("quiet"), styles.account)}
          href="/keys"
          aria-current={isAccountRoute(route) ? "true" : undefined}
        >
          <UserRoundCog size={15} aria-hidden />
          {labels.account}
        </Link>
      )}
      {session.user !== null && <PersonButton session={session} user={session.user} />}
      <IconButton
        name={strings.palette.open}
        icon={Command}
        aria-haspopup="dialog"
        onClick={() => setPaletteOpen(true)}
      />
      <IconButton name={strings.theme.names[theme]} icon={themeIcons[theme]} onClick={selectNextTheme} />
      <IconButton name={labels.help} icon={CircleHelp} onClick={onHelp} />
      <IconButton name={strings.signIn.out} icon={LogOut} onClick={signOut} />
    </div>
  );
}

/** Opens a dialog about the person that is signed in. */
function PersonButton({ session, user }: { readonly session: Session; readonly user: SessionUser }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconButton
        name={strings.person.open(user.name || user.email)}
        icon={CircleUserRound}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      />
      {isOpen && <PersonDialog session={session} user={user} onClose={() => setOpen(false)} />}
    </>
  );
}
