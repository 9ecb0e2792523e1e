import { useEffect } from "react";
import { useUnreadCount } from "../api/marks.ts";
import { useServers } from "../api/servers.ts";
import type { Route } from "../navigation/routes.ts";
import stampRead from "../shared/stamp-read.svg";
import stamp from "../shared/stamp.svg";
import { strings } from "../strings.ts";

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
