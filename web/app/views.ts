/** Pages that the navigation lists, with their icons and keys. */
import {
  Activity,
  AtSign,
  ChartColumn,
  ChartNoAxesColumn,
  History,
  Inbox,
  KeyRound,
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
  type LucideIcon,
} from "lucide-react";
import { allReceived, formatMailQuery, type MailQuery } from "../navigation/mail-query.ts";
import { accountViews, inboxPath, objectViews, routePath, type AccountView, type Route } from "../navigation/routes.ts";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";

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
export type ServerRoute = Extract<Route, { readonly server: string }>;
/** Route of a page of the account. */
export type AccountRoute = Extract<Route, { readonly kind: AccountView }>;

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
