import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./styles/tokens.css";
import "./styles/base.css";
import { ApiError } from "./api/client.ts";
import { isOutage, retryAfterOutages } from "./api/outage.ts";
import { queryKeys } from "./api/query-keys.ts";
import { followLinks, followOtherTabs, noteRejection, redeemLinkToken } from "./api/session.ts";
import { App } from "./app/app.tsx";
import { applyTheme } from "./shared/theme.ts";

const cache: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // A 401 from any request means that the session has expired.
    onError: (error) => {
      if (!(error instanceof ApiError) || error.status !== 401) return;
      noteRejection();
      cache.setQueryData(queryKeys.session, null);
    },
  }),
  defaultOptions: {
    // The service may be on this machine, whatever the browser knows about the network.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && isOutage(error),
    },
  },
});

applyTheme();
retryAfterOutages(cache);
followOtherTabs(cache);
followLinks(() => location.reload());
await redeemLinkToken();
const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={cache}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
}
