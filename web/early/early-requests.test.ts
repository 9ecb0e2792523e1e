import { expect, test } from "vitest";
import { firstPaths } from "./early-requests.ts";

const own = ["/web/session", "/api/servers"];

test.each([
  ["/", "", own],
  ["/keys", "", own],
  ["/servers/shop1234/settings", "", own],
  ["/servers/shop1234", "", [...own, "/api/messages?server=shop1234&page=0&itemsPerPage=100&dir=Received"]],
  [
    "/servers/shop1234/messages/id",
    "?q=code",
    [...own, "/api/messages?server=shop1234&page=0&itemsPerPage=100&dir=Received&q=code"],
  ],
  // Criteria are the body of another request.
  ["/servers/shop1234", "?subject=x", own],
])("requests what the page at %s%s begins with", (pathname, search, paths) => {
  expect(firstPaths({ pathname, search })).toEqual(paths);
});
