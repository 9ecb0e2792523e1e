import { useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import {
  Activity,
  AtSign,
  BookOpen,
  ChartColumn,
  CircleHelp,
  History,
  Inbox,
  KeyRound,
  LogOut,
  MessageSquareQuote,
  Monitor,
  Moon,
  Plug,
  Settings,
  Sun,
  Webhook,
  Zap,
  Smartphone,
  type LucideIcon,
} from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { DegradedNotice } from "../account/degraded-notice.tsx";
import { queryKeys } from "../api/query-keys.ts";
import { useServers } from "../api/servers.ts";
import { signOut } from "../api/session.ts";
import type { LiveState } from "../live/change-stream.ts";
import { Link, navigate } from "../navigation/location.tsx";
import { accountViews, inboxPath, routePath, type AccountView, type Route } from "../navigation/routes.ts";
import brandStyles from "../shared/brand.module.css";
import { IconButton, iconButtonClass } from "../shared/icon-button.tsx";
import layout from "../shared/layout.module.css";
import stamp from "../shared/stamp.svg";
import { useTheme } from "../shared/theme.ts";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import styles from "./shell.module.css";

/** The bar above every page, and the page. */
export function Shell(props: {
  readonly session: Session;
  readonly route: Route;
  /** Null on pages that belong to no server. */
  readonly live: LiveState | null;
  readonly onHelp: () => void;
  readonly children: ReactNode;
}): ReactElement {
  const { session, route, live, onHelp, children } = props;
  const labels = strings.shell;
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {strings.skip}
      </a>
      <header className={styles.bar}>
        <Link href="/" className={brandStyles.brand} aria-label={labels.home}>
          <img src={stamp} alt="" />
          <b>{strings.product}</b>
        </Link>
        {"server" in route && <ServerSelect route={route} />}
        {"server" in route && <ServerViews route={route} />}
        {isAccountRoute(route) && <AccountViews route={route} />}
        <span className={clsx(layout.push, layout.wideOnly)} />
        {live !== null && (
          <span className={clsx(styles.live, layout.wideOnly)} data-state={live} role="status">
            {labels.live[live]}
          </span>
        )}
        <SessionTools session={session} route={route} onHelp={onHelp} />
      </header>
      {session.server === null && route.kind !== "status" && <DegradedNotice hasLink />}
      {children}
    </div>
  );
}

type ServerRoute = Extract<Route, { readonly server: string }>;

function ServerSelect({ route }: { readonly route: ServerRoute }): ReactElement {
  const { data: servers } = useServers();
  return (
    <div className={styles.switcher}>
      <select
        aria-label={strings.shell.server}
        value={route.server}
        onChange={(event) => {
          const server = event.target.value;
          navigate(route.kind === "mail" ? inboxPath(server) : routePath({ ...route, server }));
        }}
      >
        {servers?.some(({ id }) => id === route.server) === false && (
          <option value={route.server}>{strings.shell.unknownServer(route.server)}</option>
        )}
        {servers?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

interface View {
  readonly name: string;
  readonly icon: LucideIcon;
  readonly target: Route;
}

function ServerViews({ route }: { readonly route: ServerRoute }): ReactElement {
  const { server } = route;
  const labels = strings.shell;
  const views: readonly View[] = [
    { name: labels.mail, icon: Inbox, target: { kind: "mail", server, message: null, tab: null } },
    { name: labels.connect, icon: Plug, target: { kind: "connect", server } },
    { name: labels.activity, icon: ChartColumn, target: { kind: "activity", server } },
    { name: labels.webhooks, icon: Webhook, target: { kind: "webhooks", server } },
    { name: labels.faults, icon: Zap, target: { kind: "faults", server } },
    { name: labels.settings, icon: Settings, target: { kind: "settings", server } },
  ];
  return <ViewLinks label={labels.views} views={views} route={route} />;
}

type AccountRoute = Extract<Route, { readonly kind: AccountView }>;

function isAccountRoute(route: Route): route is AccountRoute {
  return accountViews.some((view) => view === route.kind);
}

const accountIcons = {
  keys: KeyRound,
  addresses: AtSign,
  numbers: Smartphone,
  phrases: MessageSquareQuote,
  "service-faults": Zap,
  audit: History,
  status: Activity,
} as const;

function AccountViews({ route }: { readonly route: AccountRoute }): ReactElement {
  const views = accountViews.map((kind) => ({
    name: strings[kind].title,
    icon: accountIcons[kind],
    target: { kind },
  }));
  return <ViewLinks label={strings.shell.accountViews} views={views} route={route} />;
}

function ViewLinks(props: {
  readonly label: string;
  readonly views: readonly View[];
  readonly route: Route;
}): ReactElement {
  const { label, views, route } = props;
  return (
    <nav className={styles.views} aria-label={label}>
      {views.map(({ name, icon: Icon, target }) => (
        <Link
          key={name}
          className={styles.view}
          href={routePath(target)}
          title={name}
          aria-label={name}
          aria-current={target.kind === route.kind ? "page" : undefined}
        >
          <Icon size={15} aria-hidden />
          <span>{name}</span>
        </Link>
      ))}
    </nav>
  );
}

const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const;

function ThemeButton(): ReactElement {
  const [theme, selectNext] = useTheme();
  return <IconButton name={strings.theme.names[theme]} icon={themeIcons[theme]} onClick={selectNext} />;
}

/** Account, API reference, help and sign-out; on phones only on pages that belong to no server. */
function SessionTools(props: {
  readonly session: Session;
  readonly route: Route;
  readonly onHelp: () => void;
}): ReactElement {
  const { session, route, onHelp } = props;
  const cache = useQueryClient();
  const labels = strings.shell;
  return (
    <div className={clsx(layout.row, "server" in route ? layout.wideOnly : layout.push)}>
      {session.server === null && (
        <Link
          className={iconButtonClass}
          href="/keys"
          aria-label={labels.account}
          title={labels.account}
          aria-current={isAccountRoute(route) ? "true" : undefined}
        >
          <KeyRound size={16} aria-hidden />
        </Link>
      )}
      <a
        className={iconButtonClass}
        href="/docs"
        target="_blank"
        rel="noreferrer"
        aria-label={labels.apiReference}
        title={labels.apiReference}
      >
        <BookOpen size={16} aria-hidden />
      </a>
      <ThemeButton />
      <IconButton name={labels.help} icon={CircleHelp} onClick={onHelp} />
      <IconButton
        name={strings.signIn.out}
        icon={LogOut}
        onClick={() => {
          void signOut().finally(() => {
            cache.setQueryData(queryKeys.session, null);
            cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.session[0] });
          });
        }}
      />
    </div>
  );
}
