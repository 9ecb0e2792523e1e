import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { queryKeys } from "../api/query-keys.ts";
import { openChangeStream, type LiveState } from "./change-stream.ts";

/** Changes within this time cause one refresh, so that a thousand messages a second do not cause a thousand requests. */
const debounceMs = 250;

/** Refreshes the lists of a server when it changes; returns the state of the connection. */
export function useLive(server: string): LiveState {
  const cache = useQueryClient();
  const [state, setState] = useState<LiveState>("polling");
  useEffect(() => {
    let timer = 0;
    let lastAt = 0;
    const refresh = (): void => {
      timer = 0;
      lastAt = performance.now();
      void cache.invalidateQueries({ queryKey: queryKeys.serverMessages(server) });
      void cache.invalidateQueries({ queryKey: queryKeys.servers });
    };
    const onChange = (): void => {
      if (timer !== 0) return;
      timer = window.setTimeout(refresh, Math.max(0, lastAt + debounceMs - performance.now()));
    };
    const close = openChangeStream(server, { onChange, onState: setState });
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [cache, server]);
  return state;
}
