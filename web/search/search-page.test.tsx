import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { queryKeys } from "../api/query-keys.ts";
import { problem, renderUi, type Rendered, type Responses } from "../testing/render-ui.tsx";
import { server, summary } from "../testing/samples.ts";
import { SearchPage } from "./search-page.tsx";

function open(path: string, responses: Responses): Rendered {
  history.replaceState(null, "", path);
  return renderUi(<SearchPage />, { "GET /api/servers": [server], ...responses });
}

const page = (number: number, next?: string): Response =>
  new Response(JSON.stringify([summary(number)]), {
    headers: next === undefined ? {} : { link: `</api/search?${next}>; rel="next"` },
  });

test("shows results with their server, and further pages on request", async () => {
  const { user } = open("/search?q=order", {
    "GET /api/search": () => page(2, "before=m2"),
    "GET /api/search?before=m2": page(1),
  });
  const link = await screen.findByRole("link", { name: "Subject 2" });
  expect(link.getAttribute("href")).toBe("/servers/shop1234/messages/m2?q=order");
  await screen.findByText("Shop");
  await user.click(screen.getByRole("button", { name: "Show more" }));
  await screen.findByRole("link", { name: "Subject 1" });
  expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
});

test.each([
  ["/search", true],
  ["/search?q=order", false],
])("begins %s with the focus in the search box: %s", async (path, isFocused) => {
  open(path, { "GET /api/search": () => page(1) });
  await screen.findByRole("link", { name: "Subject 1" });
  expect(document.activeElement === screen.getByRole("combobox", { name: "Search messages" })).toBe(isFocused);
});

test("shows an error and retries", async () => {
  let isUp = false;
  const { user } = open("/search?q=order", {
    "GET /api/search": () => (isUp ? page(1) : problem(503, "Searching all servers took longer than 10 s")),
  });
  await screen.findByText(/took longer than 10 s/);
  isUp = true;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("link", { name: "Subject 1" });
});

test("offers other searches when nothing matches, and searches as one types", async () => {
  const { user, requests } = open("/search?q=to%3Aa&server=shop1234", {
    "GET /api/search": [],
    "GET /api/search/suggestions": [
      {
        kind: "replace",
        q: "from:a",
        server: null,
        dir: "Received",
        term: "to:a",
        replacement: "from:a",
        count: 2,
        isExact: true,
      },
    ],
  });
  await user.click(await screen.findByRole("button", { name: "2 for from:a" }));
  expect(location.search).toBe("?q=from%3Aa&server=shop1234");
  await user.type(screen.getByRole("combobox", { name: "Search messages" }), "b");
  await waitFor(() => {
    expect(requests.some((line) => line.includes("q=from%3Aa+b"))).toBe(true);
  });
  await user.click(screen.getByRole("button", { name: "Shop" }));
  expect(location.pathname + location.search).toBe("/servers/shop1234?q=from%3Aa+b");
});

test("shows messages that arrive, by one search for each change that the list of servers tells", async () => {
  let messages = 1;
  const { cache, requests } = open("/search?q=order", {
    "GET /api/servers": () => [{ ...server, messages }],
    "GET /api/search": () => page(messages),
  });
  const searches = (): number => requests.filter((line) => line.startsWith("GET /api/search?")).length;
  await screen.findByRole("link", { name: "Subject 1" });
  await cache.refetchQueries({ queryKey: queryKeys.servers });
  expect(searches()).toBe(1);
  messages = 2;
  await cache.refetchQueries({ queryKey: queryKeys.servers });
  await screen.findByRole("link", { name: "Subject 2" });
  await cache.refetchQueries({ queryKey: queryKeys.servers });
  expect(searches()).toBe(2);
});
