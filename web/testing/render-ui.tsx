/** Renders components in a simulated browser against a simulated service. */
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import type { ReactElement } from "react";
import { vi } from "vitest";
import { ApiError } from "../api/client.ts";
import { queryKeys } from "../api/query-keys.ts";
import { Toasts } from "../shared/toast.tsx";
import type { Session } from "../wire.ts";
import { accountSession } from "./samples.ts";

/** A response of the simulated service: a JSON value for 200, or a response with another status. */
export type SimulatedResponse = Response | readonly unknown[] | Readonly<Record<string, unknown>>;

/** Responses by method and path, for example `GET /api/servers`; a function is called for each request. */
export type Responses = Readonly<
  Record<string, SimulatedResponse | (() => SimulatedResponse | Promise<SimulatedResponse>)>
>;

/** Rendered components and what they sent. */
export interface Rendered {
  readonly user: UserEvent;
  readonly cache: QueryClient;
  /** Requests so far, for example `POST /api/keys {"name":"CI"}`. */
  readonly requests: readonly string[];
}

/**
 * Renders a component with a query cache that does not retry, and a region for toasts. The page is signed in with the value of
 * `GET /web/session` or, without one, with `session`; if that is null or a function, it loads the session.
 */
export function renderUi(ui: ReactElement, responses: Responses, session: Session | null = accountSession): Rendered {
  simulateLayout();
  const requests = simulateService(responses);
  const cache = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof ApiError && error.status === 401) cache.setQueryData(queryKeys.session, null);
      },
    }),
    defaultOptions: { queries: { retry: false } },
  });
  const { "GET /web/session": signedIn = session } = responses;
  if (signedIn !== null && typeof signedIn !== "function") cache.setQueryData(queryKeys.session, signedIn);
  render(
    <QueryClientProvider client={cache}>
      {ui}
      <Toasts />
    </QueryClientProvider>,
  );
  return { user: userEvent.setup(), cache, requests };
}

/** Replaces `fetch` by a service with these responses; returns its requests. Requests to other paths get 404. */
export function simulateService(responses: Responses): readonly string[] {
  const requests: string[] = [];
  vi.stubGlobal("reportError", console.error);
  vi.stubGlobal("fetch", async (path: string, { method = "GET", body }: RequestInit = {}) => {
    const line = `${method} ${path}`;
    requests.push(typeof body === "string" ? `${line} ${body}` : line);
    const found = responses[line] ?? responses[line.split("?")[0] ?? ""] ?? problem(404, "Not found");
    const response = typeof found === "function" ? await found() : found;
    return response instanceof Response ? response.clone() : new Response(JSON.stringify(response));
  });
  return requests;
}

/** Returns an error response of the service. */
export function problem(status: number, message: string): Response {
  return new Response(JSON.stringify({ message, errors: [] }), { status });
}

/** Gives elements the size that the simulated browser does not compute, and the APIs of layout that it lacks. */
function simulateLayout(): void {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe(): void {}
      unobserve(): void {}
      disconnect(): void {}
    },
  );
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      readonly #report: (entries: readonly { readonly isIntersecting: boolean }[]) => void;
      constructor(report: (entries: readonly { readonly isIntersecting: boolean }[]) => void) {
        this.#report = report;
      }
      observe(): void {
        queueMicrotask(() => {
          this.#report([{ isIntersecting: true }]);
        });
      }
      disconnect(): void {}
    },
  );
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => {}, removeEventListener: () => {} }));
  for (const [name, value] of [
    ["clientHeight", 700],
    ["clientWidth", 1000],
  ] as const) {
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => value });
  }
  Element.prototype.scrollIntoView = () => {};
  Element.prototype.scrollTo = () => {};
}
