/** Addresses of the views: every view has one, so that each can be linked, reloaded and gone back to. */

/** Tabs of a message. */
export const messageTabs = [
  "html",
  "text",
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
export const serverViews = ["connect", "pictures", "settings", "compose"] as const;

/** A view of a server beside its messages. */
export type ServerView = (typeof serverViews)[number];

/** Views of what belongs to the whole account. */
export const accountViews = ["keys", "addresses", "numbers", "phrases", "audit", "status"] as const;

/** A view of what belongs to the whole account. */
export type AccountView = (typeof accountViews)[number];

/** What is shown. `tab` is null where the message itself decides. */
export type Route =
  | { readonly kind: "servers" }
  | { readonly kind: AccountView }
  | { readonly kind: "mail"; readonly server: string; readonly message: string | null; readonly tab: MessageTab | null }
  | { readonly kind: ServerView; readonly server: string };

/** The view behind a path; unknown paths are the list of servers. */
export function parseRoute(path: string): Route {
  const [root, server, ...rest] = path.split("/").filter((segment) => segment !== "");
  const account = server === undefined ? accountViews.find((view) => view === root) : undefined;
  if (account !== undefined) return { kind: account };
  return root === "servers" && server !== undefined ? parseServerRoute(server, rest) : { kind: "servers" };
}

/** The path of a view. */
export function routePath(route: Route): string {
  if (route.kind === "servers") return "/";
  if (!("server" in route)) return `/${route.kind}`;
  if (route.kind !== "mail") return `/servers/${route.server}/${route.kind}`;
  const { server, message, tab } = route;
  if (message === null) return `/servers/${server}`;
  return `/servers/${server}/messages/${message}${tab === null ? "" : `/${tab}`}`;
}

function parseServerRoute(server: string, [view, id, tab]: readonly string[]): Route {
  const own = serverViews.find((one) => one === view);
  if (own !== undefined) return { kind: own, server };
  if (view !== "messages" || id === undefined) return { kind: "mail", server, message: null, tab: null };
  return { kind: "mail", server, message: id, tab: messageTabs.find((one) => one === tab) ?? null };
}
