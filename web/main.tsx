import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/client.ts";
import { redeemLinkToken, sessionKey } from "./api/session.ts";
import { App } from "./app/app.tsx";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/mail.css";
import "./styles/message.css";
import "./styles/pages.css";

const cache: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // A session that has ended anywhere has ended everywhere.
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) cache.setQueryData(sessionKey, null);
    },
  }),
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
    },
  },
});

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
