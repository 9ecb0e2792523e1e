/** The address bar as state. */
import { useMemo, useSyncExternalStore, type ComponentProps, type MouseEvent, type ReactElement } from "react";
import { parseMailQuery, type MailQuery } from "./mail-query.ts";
import { parseRoute, type Route } from "./place.ts";

const listeners = new Set<() => void>();

/** Goes to an address of ours, as a new step of the history or in place of the present one. */
export function navigate(address: string, { isReplaced = false }: { readonly isReplaced?: boolean } = {}): void {
  if (address === location.pathname + location.search) return;
  if (isReplaced) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  for (const listener of listeners) listener();
}

/** The view that the address names. */
export function useRoute(): Route {
  const path = useSyncExternalStore(subscribe, () => location.pathname);
  return useMemo(() => parseRoute(path), [path]);
}

/** The query that the address names. */
export function useMailQuery(): MailQuery {
  const search = useSyncExternalStore(subscribe, () => location.search);
  return useMemo(() => parseMailQuery(search), [search]);
}

/** A link within the UI; with a modifier key, or by another button, it opens as any link does. */
export function Link({
  href,
  onClick,
  children,
  ...others
}: ComponentProps<"a"> & { readonly href: string }): ReactElement {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !isPlain) return;
    event.preventDefault();
    navigate(href);
  };
  return (
    <a {...others} href={href} onClick={follow}>
      {children}
    </a>
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("popstate", listener);
  };
}
