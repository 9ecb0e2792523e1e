/** Pages that the navigation lists, with their icons and keys. */
import { clsx } from "clsx";
import {
  Activity,
  AtSign,
  ChartColumn,
  ChartNoAxesColumn,
  History,
  Inbox,
  KeyRound,
  type LucideIcon,
  MessageSquareQuote,
  Plug,
  Send,
  Settings,
  ShieldCheck,
  Smartphone,
  Users,
  UsersRound,
  Webhook,
  Zap,
} from "lucide-react";
import { Fragment, type ReactElement, useEffect } from "react";
import { useActiveFaults } from "../api/faults.ts";
import { useUnreadCount } from "../api/marks.ts";
import { useServers } from "../api/servers.ts";
import { Link } from "../navigation/location.tsx";
import { allReceived, formatMailQuery, type MailQuery } from "../navigation/mail-query.ts";
import { type AccountView, accountViews, inboxPath, objectViews, type Route, routePath } from "../navigation/routes.ts";
import badgeStyles from "../shared/badge.module.css";
import stampRead from "../shared/stamp-read.svg";
import stamp from "../shared/stamp.svg";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import styles from "./view-links.module.css";

/** A page of the navigation. */
export interface View {
  readonly name: string;
  readonly icon: LucideIcon;
  readonly href: string;
  /** Key that leads to the page after `g`. */
  readonly key: string;
  readonly isCurrent: boolean;
  /** Server whose active fault rules the link counts. */
  readonly faultsOf?: string;
  /** Whether the rail leaves the page out, which has its address, its shortcut and its place in the palette nevertheless. */
  readonly isUnlisted?: boolean;
  /** Heading above the page in the rail; absent for a page that stands for itself, and below another one with the same heading. */
  readonly heading?: string;
}

/** Pages that the session and the route have. */
export interface Views {
  /** Empty on pages that belong to no server. */
  readonly serverViews: readonly View[];
  /** Empty for keys of one server. Users have some of those of the account. */
  readonly accountViews: readonly View[];
}

/** Route of a page that belongs to a server. */
type ServerRoute = Extract<Route, { readonly server: string }>;
/** Route of a page of the account. */
type AccountRoute = Extract<Route, { readonly kind: AccountView }>;

/** Returns whether a route is a page of the account. */
export function isAccountRoute(route: Route): route is AccountRoute {
  return accountViews.some((view) => view === route.kind);
}

const serverPages = [
  { kind: "connect", icon: Plug, key: "c" },
  { kind: "activity", icon: ChartColumn, key: "a" },
  { kind: "webhooks", icon: Webhook, key: "w" },
  { kind: "faults", icon: Zap, key: "f" },
  { kind: "settings", icon: Settings, key: "s" },
] as const;

/** Returns the pages of a server; `direction` tells its two message lists apart. */
export function serverViewsOf(route: ServerRoute, direction: MailQuery["direction"]): readonly View[] {
  const { server, kind: current } = route;
  const labels = strings.shell;
  const isList = current === "mail";
  const inbox = inboxPath(server);
  const sent = inbox + formatMailQuery({ ...allReceived, direction: "Sent" });
  return [
    { name: labels.inbox, icon: Inbox, href: inbox, key: "i", isCurrent: isList && direction === "Received" },
    { name: labels.sent, icon: Send, href: sent, key: "t", isCurrent: isList && direction === "Sent" },
    ...serverPages.map(({ kind, icon, key }) => {
      const view = { name: labels[kind], icon, href: routePath({ kind, server }), key, isCurrent: kind === current };
      return kind === "faults" ? { ...view, faultsOf: server } : view;
    }),
  ];
}

const accountPages: Readonly<Record<AccountView, readonly [icon: LucideIcon, key: string, heading?: string]>> = {
  keys: [KeyRound, "k"],
  users: [Users, "e", strings.shell.people],
  teams: [UsersRound, "m", strings.shell.people],
  addresses: [AtSign, "v", strings.shell.sending],
  numbers: [Smartphone, "n", strings.shell.sms],
  phrases: [MessageSquareQuote, "p"],
  devices: [ShieldCheck, "d", strings.shell.twoFactor],
  status: [Activity, "o", strings.shell.system],
  usage: [ChartNoAxesColumn, "u"],
  "service-faults": [Zap, "b"],
  audit: [History, "l"],
};

/** Returns the pages of the account that a session may see: users have their keys and teams, and managers of a team the users and its usage. */
function seenBy({ isAccount, user, server }: Session): readonly AccountView[] {
  if (isAccount) return accountViews;
  if (user === null || server !== null) return [];
  const managesTeam = user.teams.some(({ access }) => access === "full");
  return managesTeam ? ["keys", "users", "teams", "usage"] : ["keys", "teams"];
}

/** Returns the pages of the account that a session has. */
export function accountViewsOf(session: Session, route: Route): readonly View[] {
  let above: string | undefined;
  return seenBy(session).map((kind) => {
    const [icon, key, heading] = accountPages[kind];
    const name = strings.shell.accountPages[kind];
    const view = { name, icon, href: routePath({ kind }), key, isCurrent: kind === route.kind };
    const isUnlisted = objectViews.includes(kind) && !session.hasPeople;
    const isFirst = heading !== above;
    above = heading;
    return { ...view, ...(isUnlisted && { isUnlisted }), ...(heading !== undefined && isFirst && { heading }) };
  });
}

/** Links to pages with visible labels: a row in the bar, a column with headings in the rail and in the menu of small screens. */
export function ViewLinks(props: {
  readonly label: string;
  readonly views: readonly View[];
  readonly isColumn?: boolean;
  readonly onSelect?: () => void;
}): ReactElement {
  const { label, views, isColumn = false, onSelect } = props;
  const listed = views.filter(({ isUnlisted }) => isUnlisted !== true);
  return (
    <nav className={isColumn ? styles.column : styles.row} aria-label={label}>
      {listed.map(({ name, icon: Icon, href, isCurrent, faultsOf, heading }) => (
        <Fragment key={href}>
          {isColumn && heading !== undefined && <p>{heading}</p>}
          <Link className={styles.view} href={href} aria-current={isCurrent ? "page" : undefined} onClick={onSelect}>
            <Icon size={15} aria-hidden />
            {name}
            {faultsOf !== undefined && <FaultCount server={faultsOf} />}
          </Link>
        </Fragment>
      ))}
    </nav>
  );
}

/** Number of active fault rules; nothing for none. */
function FaultCount({ server }: { readonly server: string }): ReactElement | null {
  const { length } = useActiveFaults(server);
  if (length === 0) return null;
  return (
    <span className={clsx(badgeStyles.badge, badgeStyles.warn)} title={strings.shell.activeFaults}>
      {length}
    </span>
  );
}

const titles = {
  ...strings.titles,
  servers: strings.servers.title,
  search: strings.search.title,
  compose: strings.compose.title,
  status: strings.status.title,
  "not-found": strings["not-found"].title,
} as const;

/** Sets the title of the document (number of unread messages, page, server, product), and its icon: with a dot for unread ones. */
export function useTitle(route: Route): void {
  const { data: servers } = useServers();
  const id = "server" in route ? route.server : null;
  const server = servers?.find((one) => one.id === id)?.name;
  const unread = useUnreadCount(server === undefined ? null : id);
  useEffect(() => {
    const page = route.kind === "mail" ? undefined : titles[route.kind];
    const title = [page, server, strings.product].filter((part) => part !== undefined).join(" · ");
    const isUnread = unread !== undefined && unread > 0;
    document.title = isUnread ? `(${unread.toLocaleString("en")}) ${title}` : title;
    document.querySelector("link[rel=icon]")?.setAttribute("href", isUnread ? stamp : stampRead);
  }, [route.kind, server, unread]);
}
