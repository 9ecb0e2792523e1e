/** Paths of the views: each view has one, so that it can be linked to, reloaded and returned to. */

/** Tabs of a message. */
export const messageTabs = [
  "html",
  "text",
  "report",
  "conversation",
  "source",
  "headers",
  "structure",
  "attachments",
  "links",
  "delivery",
  "checks",
  "previews",
  "test",
] as const;

/** A tab of a message. */
export type MessageTab = (typeof messageTabs)[number];

/** Views of a server beside its messages. */
export const serverViews = [
  "connect",
  "activity",
  "webhooks",
  "faults",
  "settings",
  "compose",
  "translations",
] as const;

/** A view of a server beside its messages. */
export type ServerView = (typeof serverViews)[number];

/** Views of the account. */
export const accountViews = [
  "keys",
  "users",
  "teams",
  "addresses",
  "numbers",
  "phrases",
  "devices",
  "status",
  "usage",
  "service-faults",
  "audit",
] as const;

/** A view of the account. */
export type AccountView = (typeof accountViews)[number];

/** Views of the account whose objects have pages of their own. */
export const objectViews: readonly AccountView[] = ["users", "teams"];

/** A view with its parameters. A `tab` of null selects the best tab for the message. */
export type Route =
  | { readonly kind: "servers" }
  | { readonly kind: "search" }
  | { readonly kind: "not-found" }
  | { readonly kind: AccountView; readonly id?: string }
  | { readonly kind: "mail"; readonly server: string; readonly message: string | null; readonly tab: MessageTab | null }
  | { readonly kind: ServerView; readonly server: string };

/** Former names of views, for links from before they were renamed. */
const formerViews: Readonly<Record<string, ServerView>> = { pictures: "activity" };

/** Returns the route of a path; unknown paths below a server or a message lead to that. */
export function parseRoute(path: string): Route {
  const [root, ...below] = path.split("/").filter((segment) => segment !== "");
  const [server, ...rest] = below;
  const kind = accountViews.find((view) => view === root);
  if (kind !== undefined) return parseAccountRoute(kind, below);
  if (root === undefined || (root === "servers" && server === undefined)) return { kind: "servers" };
  if (root === "search" && server === undefined) return { kind: "search" };
  return root === "servers" && server !== undefined ? parseServerRoute(server, rest) : { kind: "not-found" };
}

function parseAccountRoute(kind: AccountView, [id, ...rest]: readonly string[]): Route {
  if (id === undefined) return { kind };
  return rest.length === 0 && objectViews.includes(kind) ? { kind, id } : { kind: "not-found" };
}

/** Returns the path of a route. */
export function routePath(route: Route): string {
  if (route.kind === "servers") return "/";
  if (!("server" in route)) return `/${route.kind}${"id" in route ? `/${route.id ?? ""}` : ""}`;
  if (route.kind !== "mail") return `/servers/${route.server}/${route.kind}`;
  const { server, message, tab } = route;
  if (message === null) return `/servers/${server}`;
  return `/servers/${server}/messages/${message}${tab === null ? "" : `/${tab}`}`;
}

/** Returns the path of a server's message list. */
export function inboxPath(server: string): string {
  return routePath({ kind: "mail", server, message: null, tab: null });
}

function parseServerRoute(server: string, [view = "", id, tab]: readonly string[]): Route {
  const kind = formerViews[view] ?? serverViews.find((one) => one === view);
  if (kind !== undefined) return { kind, server };
  if (view !== "messages" || id === undefined) return { kind: "mail", server, message: null, tab: null };
  return { kind: "mail", server, message: id, tab: messageTabs.find((one) => one === tab) ?? null };
}
