import { expect, test } from "vitest";
import { accountViews, messageTabs, parseRoute, routePath, serverViews, type Route } from "./place.ts";

const server = "abcd1234";
const routes: readonly Route[] = [
  { kind: "servers" },
  ...accountViews.map((kind) => ({ kind })),
  ...serverViews.map((kind) => ({ kind, server })),
  { kind: "mail", server, message: null, tab: null },
  { kind: "mail", server, message: "id", tab: null },
  ...messageTabs.map((tab) => ({ kind: "mail", server, message: "id", tab }) as const),
];

test.each(routes.map((route) => [routePath(route), route] as const))(
  "%s leads to its route and back",
  (path, route) => {
    expect(parseRoute(path)).toEqual(route);
    expect(parseRoute(`${path}/`)).toEqual(route);
  },
);

test.each([
  ["/nowhere", "/"],
  ["/servers", "/"],
  ["/keys/more", "/"],
  ["/servers/abcd1234/unknown", "/servers/abcd1234"],
  ["/servers/abcd1234/messages", "/servers/abcd1234"],
  ["/servers/abcd1234/messages/id/unknown", "/servers/abcd1234/messages/id"],
])("%s is taken for %s", (path, known) => {
  expect(routePath(parseRoute(path))).toBe(known);
});
