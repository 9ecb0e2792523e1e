import { clsx } from "clsx";
import { CircleHelp, Command, LogOut, Monitor, Moon, Sun, UserRoundCog } from "lucide-react";
import type { ReactElement } from "react";
import { Link } from "../navigation/location.tsx";
import type { Route } from "../navigation/routes.ts";
import { buttonClass } from "../shared/button.tsx";
import { IconButton } from "../shared/icon-button.tsx";
import layout from "../shared/layout.module.css";
import { setPaletteOpen } from "../shared/palette-state.ts";
import { useTheme } from "../shared/theme.ts";
import { strings } from "../strings.ts";
import styles from "./shell.module.css";
import { useSignOut } from "./use-sign-out.ts";
import { isAccountRoute } from "./views.ts";

/** Icons of the colour themes. */
export const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const;

/** Account, commands, theme, help and sign-out; small screens have them in the menu. */
export function SessionTools(props: {
  readonly isAccount: boolean;
  readonly route: Route;
  readonly onHelp: () => void;
}): ReactElement {
  const { isAccount, route, onHelp } = props;
  const signOut = useSignOut();
  const [theme, selectNextTheme] = useTheme();
  const labels = strings.shell;
  return (
    <div className={clsx(layout.row, styles.tools)}>
      {isAccount && (
        <Link
          className={clsx(buttonClass("quiet"), styles.account)}
          href="/keys"
          aria-current={isAccountRoute(route) ? "true" : undefined}
        >
          <UserRoundCog size={15} aria-hidden />
          {labels.account}
        </Link>
      )}
      <IconButton
        name={strings.palette.open}
        icon={Command}
        aria-haspopup="dialog"
        onClick={() => {
          setPaletteOpen(true);
        }}
      />
      <IconButton name={strings.theme.names[theme]} icon={themeIcons[theme]} onClick={selectNextTheme} />
      <IconButton name={labels.help} icon={CircleHelp} onClick={onHelp} />
      <IconButton name={strings.signIn.out} icon={LogOut} onClick={signOut} />
    </div>
  );
}
