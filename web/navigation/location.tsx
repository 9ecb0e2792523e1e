/** The address bar as state. */
import { useMemo, type ComponentProps, type ReactElement } from "react";
import { Link as RouterLink } from "wouter";
import { navigate as changeLocation, usePathname, useSearch } from "wouter/use-browser-location";
import { addressOf, pathOf } from "../base-path.ts";
import { parseMailQuery, type MailQuery } from "./mail-query.ts";
import { parseRoute, type Route } from "./routes.ts";

/** Goes to a path of the UI with its query; `replace` replaces the current history entry instead of adding one. */
export function navigate(path: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const address = addressOf(path);
  if (address !== location.pathname + location.search) changeLocation(address, { replace });
}

/** Returns the route of the current path. */
export function useRoute(): Route {
  const path = usePathname();
  return useMemo(() => parseRoute(pathOf(path)), [path]);
}

/** Returns the query of the current address. */
export function useMailQuery(): MailQuery {
  const search = useSearch();
  return useMemo(() => parseMailQuery(search), [search]);
}

/** Returns the server in which a search over all servers was begun; null for none. */
export function useFormerServer(): string | null {
  return new URLSearchParams(useSearch()).get("server");
}

/** A link to a path of the UI; with a modifier key or another mouse button, the browser handles it. */
export function Link(props: ComponentProps<"a"> & { readonly href: string }): ReactElement {
  return <RouterLink {...props} href={addressOf(props.href)} />;
}
