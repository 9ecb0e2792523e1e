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
  Plug,
  Settings,
  Smartphone,
  type LucideIcon,
} from "lucide-react";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";
import { sessionKey, signOut } from "../api/session.ts";
import { useServers } from "../api/servers.ts";
import { DegradedNotice } from "../account/degraded-notice.tsx";
import type { LiveState } from "../live/change-stream.ts";
import { Link, navigate } from "../navigation/location.tsx";
import { accountViews, routePath, type AccountView, type Route } from "../navigation/place.ts";
import stamp from "../shared/stamp.svg";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";

/** The bar above every page, and the page. */
export function Shell(props: {
  readonly session: Session;
  readonly route: Route;
  /** Null where no server is looked at. */
  readonly live: LiveState | null;
  readonly onHelp: () => void;
  readonly children: ReactNode;
}): ReactElement {
  const { session, route, live, onHelp, children } = props;
  const words = strings.shell;
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {strings.skip}
      </a>
      <header className="bar">
        <Link href="/" className="brand" aria-label={words.home}>
          <img src={stamp} alt="" />
          <b>{strings.product}</b>
        </Link>
        {"server" in route && <ServerSwitcher route={route} />}
        {"server" in route && <ServerViews route={route} />}
        {isAccountRoute(route) && <AccountViews route={route} />}
        <span className="push wide-only" />
        {live !== null && (
          <span className="live wide-only" data-state={live} role="status">
            {words.live[live]}
          </span>
        )}
        <AccountTools session={session} route={route} onHelp={onHelp} />
      </header>
      {session.server === null && route.kind !== "status" && <DegradedNotice hasLink />}
      {children}
    </div>
  );
}

type ServerRoute = Extract<Route, { readonly server: string }>;

function ServerSwitcher({ route }: { readonly route: ServerRoute }): ReactElement {
  const { data: servers } = useServers();
  return (
    <div className="switcher">
      <select
        aria-label={strings.shell.server}
        value={route.server}
        onChange={(event) => {
          const server = event.target.value;
          navigate(
            routePath(
              route.kind === "mail" ? { kind: "mail", server, message: null, tab: null } : { ...route, server },
            ),
          );
        }}
      >
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
  const words = strings.shell;
  const views: readonly View[] = [
    { name: words.mail, icon: Inbox, target: { kind: "mail", server, message: null, tab: null } },
    { name: words.connect, icon: Plug, target: { kind: "connect", server } },
    { name: words.pictures, icon: ChartColumn, target: { kind: "pictures", server } },
    { name: words.settings, icon: Settings, target: { kind: "settings", server } },
  ];
  return <Views label={words.views} views={views} route={route} />;
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
  audit: History,
  status: Activity,
} as const;

function AccountViews({ route }: { readonly route: AccountRoute }): ReactElement {
  const views = accountViews.map((kind) => ({
    name: strings[kind].title,
    icon: accountIcons[kind],
    target: { kind },
  }));
  return <Views label={strings.shell.accountViews} views={views} route={route} />;
}

function Views(props: {
  readonly label: string;
  readonly views: readonly View[];
  readonly route: Route;
}): ReactElement {
  const { label, views, route } = props;
  return (
    <nav className="views" aria-label={label}>
      {views.map(({ name, icon: Icon, target }) => (
        <Link
          key={name}
          className="view"
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

function AccountTools(props: {
  readonly session: Session;
  readonly route: Route;
  readonly onHelp: () => void;
}): ReactElement {
  const { session, route, onHelp } = props;
  const cache = useQueryClient();
  const isServer = "server" in route;
  return (
    <div className={isServer ? "row wide-only" : "row push"}>
      {session.server === null && (
        <Link
          className="icon-button"
          href="/keys"
          aria-label={strings.shell.account}
          title={strings.shell.account}
          aria-current={isAccountRoute(route) ? "true" : undefined}
        >
          <KeyRound size={15} aria-hidden />
        </Link>
      )}
      <a
        className="icon-button"
        href="/docs"
        target="_blank"
        rel="noreferrer"
        aria-label={strings.shell.apiReference}
        title={strings.shell.apiReference}
      >
        <BookOpen size={15} aria-hidden />
      </a>
      <button
        type="button"
        className="icon-button"
        aria-label={strings.shell.help}
        title={strings.shell.help}
        onClick={onHelp}
      >
        <CircleHelp size={15} aria-hidden />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={strings.signIn.out}
        title={strings.signIn.out}
        onClick={() => {
          void signOut().finally(() => {
            cache.setQueryData(sessionKey, null);
            cache.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionKey[0] });
          });
        }}
      >
        <LogOut size={15} aria-hidden />
      </button>
    </div>
  );
}
