import { describe, expect, test } from "vitest";
import { providers } from "../providers/registry.ts";
import { routeTable } from "./route-table.ts";
import { belowPath, createRouter } from "./router.ts";

const router = createRouter(routeTable);
const find = (method: string, url: string) => router({ method, url, headers: {} });

/** Returns a path of a route, with values for its parameters. */
const pathOf = (pattern: string): string =>
  pattern
    .replaceAll(/(?<=\/):[^/.-]+/g, "any-value")
    .replace("*", "any/file")
    .replace(/(?<=.)\/$/, "");

describe("createRouter", () => {
  test("finds each route by its method and path, also with a trailing slash and with percent-encoding in front", () => {
    const encoded = (path: string): string => path.replace(/[a-z]/, (c) => `%${c.charCodeAt(0).toString(16)}`);
    const missed = routeTable.filter(({ method, path }) => {
      const forms = [pathOf(path), `${pathOf(path)}/`, encoded(pathOf(path))];
      const [found, ...others] = forms.map((form) => find(method, form).route);
      // Another route may have a literal where this one has a parameter.
      return found === null || others.some((other) => other !== found);
    });
    expect(missed.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect(find("GET", "/api/servers/abc/").id).toBe("abc");
  });

  test("takes a colon within a segment as it is", () => {
    const { route, params } = find("POST", "/emails:send?api-version=2023-03-31");
    expect([route?.path, params]).toEqual(["/emails:send", {}]);
    expect(["/emails", "/emailsX", "/emails:", "/emails:sendX"].map((path) => find("POST", path).route)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test.each(["/no/such", "/api", "/api/no-such", "/providers/none/send", "/%6eone", "//", "*"])(
    "has no route for %s",
    (url) => {
      expect(find("GET", url).route).toBe(url === "//" ? find("GET", "/").route : null);
    },
  );

  test.each(["/%zz", "/api/none/%zz", "/api/messages/%zz"])(
    "has no path when the percent-encoding is invalid: %s",
    (url) => {
      expect(find("GET", url)).toMatchObject({ route: null, path: "" });
    },
  );

  test("takes repeated slashes below a provider as one, and those of a query string as they are", () => {
    const { route, path, query } = find("POST", "/providers/graph/v1.0//users/ada/sendMail?a=b//c");
    expect([route?.path, path, query.get("a")]).toEqual([
      "/providers/graph/v1.0/users/:user/sendMail",
      "/providers/graph/v1.0/users/ada/sendMail",
      "b//c",
    ]);
    expect(find("GET", "/api//servers").route).toBeNull();
  });

  test("leaves invalid percent-encoding below a provider to the provider", () => {
    expect(find("POST", "/providers/sendgrid/v3/%zz")).toMatchObject({ path: "/providers/sendgrid/v3/%zz" });
  });
});

describe("requests with an AWS signature", () => {
  const findSigned = (method: string, url: string, service: string) => {
    const scope = `AKID/20261127/us-east-1/${service}/aws4_request`;
    const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=00`;
    return router({ method, url, headers: { authorization } });
  };
  const signed = providers.flatMap(({ name, signingName, endpoints }) =>
    signingName === undefined ? [] : endpoints.map(({ method, path }) => ({ name, signingName, method, path })),
  );

  test.each(signed)("has $method $path for $signingName without the prefix of the provider", (endpoint) => {
    const { name, signingName, method, path } = endpoint;
    const { route } = findSigned(method, pathOf(path), signingName);
    expect(route?.path).toBe(`/providers/${name}${path}`);
    expect(find(method, pathOf(path)).route).not.toBe(route);
  });

  test.each([
    ["/providers/sns/", "ses", "/providers/sns/"],
    ["/providers/ses/", "sns", "/providers/ses/"],
    ["/api/sms", "sns", "/api/sms"],
    ["/", "sqs", undefined],
    ["/", "constructor", undefined],
  ])("has the route of the path for POST %s that is signed for %s", (url, service, path) => {
    expect(findSigned("POST", url, service).route?.path).toBe(path);
  });
});

describe("belowPath", () => {
  const below = belowPath(router, "/mail");

  test.each([
    ["/mail", "/", "/"],
    ["/mail/", "/", "/"],
    ["/mail?a=b", "/", "/?a=b"],
    ["/mail/api/servers?a=b", "/api/servers", "/api/servers?a=b"],
    ["/api/servers", "/api/servers", "/api/servers"],
  ])("finds the route of %s and removes the path", (url, path, own) => {
    const request = { method: "GET", url, headers: {} };
    expect([below(request).route?.path, request.url]).toEqual([path, own]);
  });

  test.each(["/mailbox", "/mail/none", "/other/api/servers", "*"])("has no route for %s", (url) => {
    expect(below({ method: "GET", url, headers: {} }).route).toBeNull();
  });

  test("prefers a route without the path, whose beginning may be the same", () => {
    const same = belowPath(router, "/api");
    const urls = ["/api/servers", "/api/api/servers"];
    const paths = urls.map((url) => same({ method: "GET", url, headers: {} }).route?.path);
    expect(paths).toEqual(["/api/servers", "/api/servers"]);
  });
});
