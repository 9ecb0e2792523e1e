import { expect, test } from "vitest";
import { accountViews, messageTabs, objectViews, parseRoute, routePath, serverViews, type Route } from "./routes.ts";

const server = "abcd1234";
const routes: readonly Route[] = [
  { kind: "servers" },
  { kind: "search" },
  ...accountViews.map((kind) => ({ kind })),
  ...objectViews.map((kind) => ({ kind, id: "id" })),
  ...serverViews.map((kind) => ({ kind, server })),
  { kind: "mail", server, message: null, tab: null },
  { kind: "mail", server, message: "id", tab: null },
  ...messageTabs.map((tab) => ({ kind: "mail", server, message: "id", tab }) as const),
];

test.each(routes.map((route) => [routePath(route), route] as const))(
  "parses %s, with or without a trailing slash, as the route that it was built from",
  (path, route) => {
    expect(parseRoute(path)).toEqual(route);
    expect(parseRoute(`${path}/`)).toEqual(route);
  },
);

test.each([
  ["/nowhere", "/not-found"],
  ["/servers", "/"],
  ["/keys/more", "/not-found"],
  ["/teams/id/more", "/not-found"],
  ["/servers/abcd1234/unknown", "/servers/abcd1234"],
  ["/servers/abcd1234/messages", "/servers/abcd1234"],
  ["/servers/abcd1234/messages/id/unknown", "/servers/abcd1234/messages/id"],
  ["/servers/abcd1234/pictures", "/servers/abcd1234/activity"],
])("falls back from %s to %s", (path, known) => {
  expect(routePath(parseRoute(path))).toBe(known);
});
