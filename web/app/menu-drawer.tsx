import { BookOpen, CircleHelp, Command, LogOut, Server } from "lucide-react";
import type { ReactElement } from "react";
import { addressOf } from "../base-path.ts";
import { Link } from "../navigation/location.tsx";
import { Button, buttonClass } from "../shared/button.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { setPaletteOpen } from "./palette-host.tsx";
import { useTheme } from "../shared/theme.ts";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import styles from "./menu-drawer.module.css";
import { Person } from "./person.tsx";
import { themeIcons } from "./session-tools.tsx";
import { useSignOut } from "../api/session.ts";
import { ViewLinks, type Views } from "./views.tsx";

/** Menu of small screens: all pages, and what the bar of large ones has at its end. */
export function MenuDrawer(
  props: Views & { readonly session: Session; readonly onHelp: () => void; readonly onClose: () => void },
): ReactElement {
  const { session, serverViews, accountViews, onHelp, onClose } = props;
  const labels = strings.shell;
  return (
    <Dialog title={labels.menu} isDrawer onClose={onClose}>
      {serverViews.length > 0 && <ViewLinks isColumn label={labels.views} views={serverViews} onSelect={onClose} />}
      <Link className={styles.link} href="/" onClick={onClose}>
        <Server size={15} aria-hidden />
        {labels.allServers}
      </Link>
      {accountViews.length > 0 && (
        <section>
          <h3>{labels.account}</h3>
          <ViewLinks isColumn label={labels.accountViews} views={accountViews} onSelect={onClose} />
        </section>
      )}
      {session.user !== null && (
        <section>
          <h3>{strings.person.title}</h3>
          <Person session={session} user={session.user} />
        </section>
      )}
      <Tools onHelp={onHelp} onClose={onClose} />
    </Dialog>
  );
}

function Tools({ onHelp, onClose }: { readonly onHelp: () => void; readonly onClose: () => void }): ReactElement {
  const [theme, selectNext] = useTheme();
  const ThemeIcon = themeIcons[theme];
  const signOut = useSignOut();
  return (
    <div className={styles.tools}>
      <Button
        onClick={() => {
          onClose();
          setPaletteOpen(true);
        }}
      >
        <Command size={15} aria-hidden />
        {strings.palette.title}
      </Button>
      <Button onClick={selectNext}>
        <ThemeIcon size={15} aria-hidden />
        {strings.theme.names[theme]}
      </Button>
      <a className={buttonClass()} href={addressOf("/docs")} target="_blank" rel="noreferrer">
        <BookOpen size={15} aria-hidden />
        {strings.shell.apiReference}
      </a>
      <Button
        onClick={() => {
          onClose();
          onHelp();
        }}
      >
        <CircleHelp size={15} aria-hidden />
        {strings.shell.help}
      </Button>
      <Button onClick={signOut}>
        <LogOut size={15} aria-hidden />
        {strings.signIn.out}
      </Button>
    </div>
  );
}
