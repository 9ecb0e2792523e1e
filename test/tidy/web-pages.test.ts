import { expect, test } from "vitest";
import { pagePaths } from "../../src/http/web/routes/pages.ts";
import { accountViews, objectViews, routePath, serverViews } from "../../web/navigation/routes.ts";

const server = "abcd1234";
const paths = [
  routePath({ kind: "servers" }),
  routePath({ kind: "search" }),
  ...accountViews.map((kind) => routePath({ kind })),
  ...objectViews.map((kind) => routePath({ kind, id: "id" })),
  ...serverViews.map((kind) => routePath({ kind, server })),
  routePath({ kind: "mail", server, message: "id", tab: "test" }),
];

test.each(paths)("the service serves the view at %s, so that it can be linked to and reloaded", (path) => {
  const isServed = pagePaths.some((known) =>
    known.endsWith("*") ? path.startsWith(known.slice(0, -1)) : known === path,
  );
  expect(isServed).toBe(true);
});
