/** Addresses of the views: every view has one, so that each can be linked, reloaded and gone back to. */

/** Tabs of a message. */
export const messageTabs = [
  "html",
  "text",
  "source",
  "headers",
  "structure",
  "attachments",
  "links",
  "delivery",
  "test",
] as const;

/** A tab of a message. */
export type MessageTab = (typeof messageTabs)[number];

/** Views of a server beside its messages. */
export const serverViews = ["connect", "pictures", "settings"] as const;

/** A view of a server beside its messages. */
export type ServerView = (typeof serverViews)[number];

/** What is shown. `tab` is null where the message itself decides. */
export type Place =
  | { readonly kind: "servers" }
  | { readonly kind: "keys" }
  | { readonly kind: "mail"; readonly server: string; readonly message: string | null; readonly tab: MessageTab | null }
  | { readonly kind: ServerView; readonly server: string };

/** The view behind a path; unknown paths are the list of servers. */
export function parsePlace(path: string): Place {
  const [root = "", server = "", view = "", id = "", tab = ""] = path.split("/").filter((segment) => segment !== "");
  if (root === "keys") return { kind: "keys" };
  if (root !== "servers" || server === "") return { kind: "servers" };
  const own = serverViews.find((one) => one === view);
  if (own !== undefined) return { kind: own, server };
  const message = view === "messages" && id !== "" ? id : null;
  return { kind: "mail", server, message, tab: messageTabs.find((one) => one === tab) ?? null };
}

/** The path of a view. */
export function placePath(place: Place): string {
  switch (place.kind) {
    case "servers":
      return "/";
    case "keys":
      return "/keys";
    case "mail": {
      const { server, message, tab } = place;
      if (message === null) return `/servers/${server}`;
      return `/servers/${server}/messages/${message}${tab === null ? "" : `/${tab}`}`;
    }
    default:
      return `/servers/${place.server}/${place.kind}`;
  }
}
