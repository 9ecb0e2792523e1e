import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { pagesKey } from "../api/messages.ts";
import { openChangeStream, type LiveState } from "./change-stream.ts";

/** Changes within this time are shown at once, so that a thousand mails a second are not a thousand requests. */
const gatherMs = 250;

/** Keeps a server's lists fresh; answers how. */
export function useLive(server: string): LiveState {
  const cache = useQueryClient();
  const [state, setState] = useState<LiveState>("polling");
  useEffect(() => {
    let timer = 0;
    let lastAt = 0;
    const refresh = (): void => {
      timer = 0;
      lastAt = performance.now();
      void cache.invalidateQueries({ queryKey: pagesKey(server) });
      void cache.invalidateQueries({ queryKey: ["servers"] });
    };
    const onChange = (): void => {
      if (timer !== 0) return;
      timer = window.setTimeout(refresh, Math.max(0, lastAt + gatherMs - performance.now()));
    };
    const close = openChangeStream(server, { onChange, onState: setState });
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [cache, server]);
  return state;
}
