import { useQueryClient, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { queryKeys } from "../api/query-keys.ts";
import { areNotificationsOn, watchNotifications } from "../shared/notification-setting.ts";
import type { ArrivalWatcher } from "./notify-arrivals.ts";
import { openChangeStream, type LiveState } from "./change-stream.ts";

/** Changes within this time cause one refresh, so that a thousand messages a second do not cause a thousand requests. */
const debounceMs = 250;
/** The same for the number of messages in a conversation and of matches of other searches, which cost the service a search. */
const countDebounceMs = 2000;

/** Refreshes the lists of a server when it changes; returns the state of the connection. */
export function useLive(server: string): LiveState {
  const cache = useQueryClient();
  const [state, setState] = useState<LiveState>("polling");
  useEffect(() => {
    const lists = debounce(debounceMs, () => {
      void cache.invalidateQueries({ queryKey: queryKeys.serverMessages(server) });
      void cache.invalidateQueries({ queryKey: queryKeys.servers });
    });
    const counts = debounce(countDebounceMs, () => {
      void cache.invalidateQueries({ queryKey: queryKeys.allSuggestions });
      void cache.invalidateQueries({ queryKey: queryKeys.conversations });
    });
    const marks = debounce(debounceMs, () => refreshMarks(cache, server));
    const { notify, stop: stopNotifying } = followNotifications(server);
    const onChange = (kind: string | null): void => {
      if (kind === null || kind === "received") notify();
      if (kind === "marked") {
        marks.call();
        return;
      }
      lists.call();
      counts.call();
    };
    const close = openChangeStream(server, { onChange, onState: setState, isNeededWhileHidden: areNotificationsOn });
    return () => {
      stopNotifying();
      lists.cancel();
      marks.cancel();
      counts.cancel();
      close();
    };
  }, [cache, server]);
  return state;
}

/** Watches for arrivals while desktop notifications are on; their code is loaded when they are. */
function followNotifications(server: string): { readonly notify: () => void; readonly stop: () => void } {
  let watcher: ArrivalWatcher | null = null;
  let isStopped = false;
  const update = (): void => {
    if (!areNotificationsOn()) {
      watcher?.close();
      watcher = null;
      return;
    }
    void import("./notify-arrivals.ts")
      .then(({ watchArrivals }) => {
        if (!isStopped && areNotificationsOn()) watcher ??= watchArrivals(server);
        return watcher;
      })
      .catch(reportError);
  };
  update();
  const unwatch = watchNotifications(update);
  return {
    notify: () => watcher?.onChange(),
    stop: () => {
      isStopped = true;
      unwatch();
      watcher?.close();
    },
  };
}

/**
 * Reloads flags and tags, and the lists that depend on tags or flags. A list of unread messages that is on the screen keeps
 * those that are read there.
 */
function refreshMarks(cache: QueryClient, server: string): void {
  void cache.invalidateQueries({ queryKey: queryKeys.allMarks(server) });
  const pages = queryKeys.messagePages(server);
  void cache.invalidateQueries({ queryKey: pages, predicate: ({ queryKey }) => dependsOnMarks(queryKey) === "live" });
  void cache.invalidateQueries({
    queryKey: pages,
    predicate: ({ queryKey }) => dependsOnMarks(queryKey) === "unread",
    refetchType: "none",
  });
}

/** Returns how a list that {@link queryKeys.messagePage} names depends on flags and tags; null for not at all. */
function dependsOnMarks(key: QueryKey): "live" | "unread" | null {
  const search = String(key[3]);
  if (/is(?::|%3A)unread/i.test(search)) return "unread";
  return /(?:is|has|tag)(?::|%3A|=)/i.test(search) ? "live" : null;
}

/** Returns functions that request a run of `work`, at most one in `ms`, and that cancel the requested one. */
function debounce(ms: number, work: () => void): { readonly call: () => void; readonly cancel: () => void } {
  let timer = 0;
  let lastAt = 0;
  const run = (): void => {
    timer = 0;
    lastAt = performance.now();
    work();
  };
  return {
    call: () => {
      if (timer === 0) timer = window.setTimeout(run, Math.max(0, lastAt + ms - performance.now()));
    },
    cancel: () => clearTimeout(timer),
  };
}
