import { describe, expect, test } from "vitest";
import { clientEnvironment, clientVariables, type ClientEnvironmentOptions } from "./client-environment.ts";

const address = {
  pid: 1,
  url: "http://127.0.0.1:8025",
  httpsUrl: "https://127.0.0.1:8443",
  smtp: { host: "127.0.0.1", port: 1025 },
  server: "abcd1234",
  operatorToken: "token",
  caFile: "/data/tls/ca.pem",
  mailDomain: "mail.example.com",
  intercepted: [] as readonly string[],
};
const needs: ClientEnvironmentOptions = {
  address,
  apiKey: "key",
  server: "abcd1234",
  trust: {
    NODE_EXTRA_CA_CERTS: "/data/tls/ca.pem",
    REQUESTS_CA_BUNDLE: "/data/tls/bundle.pem",
    SSL_CERT_FILE: "/data/tls/bundle.pem",
  },
  languages: [],
  https: false,
  proxy: false,
  redirectModule: null,
  providerHosts: null,
  endpoints: [],
  nodeOptions: "",
};
const withAddress = (change: Partial<typeof address> | Record<string, null>): ClientEnvironmentOptions => ({
  ...needs,
  address: { ...address, ...change },
});
const values = (changed: ClientEnvironmentOptions): Record<string, string> =>
  Object.fromEntries(clientEnvironment(changed));

describe("clientEnvironment", () => {
  test("returns the variables of the libraries and of trust stores", () => {
    expect(values(needs)).toEqual({
      MAILOSAUR_API_KEY: "key",
      MAILOSAUR_SERVER: "abcd1234",
      MAILOSAUR_BASE_URL: "http://127.0.0.1:8025/",
      MAILOSAUR_SMTP_HOST: "mail.example.com",
      MAILOSAUR_SMTP_PORT: "1025",
      RESTANTE_SMTP_HOST: "localhost",
      RESTANTE_API_KEY: "key",
      RESTANTE_SERVER: "abcd1234",
      RESTANTE_URL: "http://127.0.0.1:8025",
      RESTANTE_MAIL_DOMAIN: "mail.example.com",
      NODE_EXTRA_CA_CERTS: "/data/tls/ca.pem",
      REQUESTS_CA_BUNDLE: "/data/tls/bundle.pem",
      SSL_CERT_FILE: "/data/tls/bundle.pem",
    });
  });

  test("uses open listeners only", () => {
    expect(values(withAddress({ url: null }))["MAILOSAUR_BASE_URL"]).toBe("https://127.0.0.1:8443/");
    const withoutSmtp = values(withAddress({ smtp: null }));
    expect(withoutSmtp["MAILOSAUR_SMTP_HOST"]).toBe("mail.example.com");
    expect(withoutSmtp).not.toHaveProperty("MAILOSAUR_SMTP_PORT");
    expect(() => clientEnvironment(withAddress({ url: null, httpsUrl: null }))).toThrow("RESTANTE_HTTP_PORT");
    expect(values(withAddress({ smtp: { host: "10.0.0.1", port: 1 } }))["RESTANTE_SMTP_HOST"]).toBe("10.0.0.1");
  });

  test("sets no trust variables when the operator configured a certificate", () => {
    const names = Object.keys(values({ ...withAddress({ caFile: null }), trust: null }));
    expect(names.filter((name) => /CA|CERT/.test(name))).toEqual([]);
  });
});

test("uses the HTTPS listener for the base URL with --https", () => {
  expect(values({ ...needs, https: true })["MAILOSAUR_BASE_URL"]).toBe("https://127.0.0.1:8443/");
  const without = { ...withAddress({ httpsUrl: null }), https: true };
  expect(() => clientEnvironment(without)).toThrow("RESTANTE_HTTPS_PORT");
});

test.each([
  [false, false],
  [true, true],
])("clientVariables includes all variables (proxy %s, redirect %s)", (proxy, redirect) => {
  const module = redirect ? "file:///lib/redirect.js" : null;
  const set = Object.keys(values({ ...needs, proxy, redirectModule: module }));
  expect(clientVariables({ proxy, redirect })).toEqual(expect.arrayContaining(set));
});

describe("with --proxy", () => {
  test("sets the hosted base URL and the tunnel of the service", () => {
    expect(values({ ...needs, proxy: true })).toMatchObject({
      MAILOSAUR_BASE_URL: "https://mailosaur.com/",
      HTTPS_PROXY: "http://127.0.0.1:8025",
      https_proxy: "http://127.0.0.1:8025",
    });
  });

  test.each([
    [{ url: null }, "RESTANTE_HTTP_PORT"],
    [{ httpsUrl: null }, "RESTANTE_HTTPS_PORT"],
    [{ caFile: null }, "RESTANTE_TLS_CERT"],
  ])("throws for a service with %j and names %s", (change, setting) => {
    expect(() => clientEnvironment({ ...withAddress(change), proxy: true })).toThrow(setting);
  });
});

describe("with --redirect", () => {
  const redirectModule = "file:///lib/redirect.js";

  test("sets NODE_OPTIONS and the URL for the redirect module", () => {
    expect(values({ ...needs, redirectModule })).toMatchObject({
      NODE_OPTIONS: "--import=file:///lib/redirect.js",
      RESTANTE_REDIRECT_URL: "http://127.0.0.1:8025",
    });
  });

  test("keeps other options of Node and adds the module only once", () => {
    const once = values({ ...needs, redirectModule, nodeOptions: "--use-system-ca" })["NODE_OPTIONS"] ?? "";
    expect(once).toBe("--use-system-ca --import=file:///lib/redirect.js");
    expect(values({ ...needs, redirectModule, nodeOptions: once })["NODE_OPTIONS"]).toBe(once);
  });

  test("uses HTTPS and the CA when the HTTP listener is off", () => {
    expect(values({ ...withAddress({ url: null }), redirectModule })).toMatchObject({
      RESTANTE_REDIRECT_URL: "https://127.0.0.1:8443",
      RESTANTE_REDIRECT_CA: "/data/tls/ca.pem",
    });
  });
});

describe("with --providers", () => {
  const providerHosts = "api.a.example=alpha";

  test("sets the hosts for the redirect module", () => {
    const redirectModule = "file:///lib/redirect.js";
    expect(values({ ...needs, redirectModule, providerHosts })["RESTANTE_REDIRECT_PROVIDERS"]).toBe(providerHosts);
    expect(clientVariables({ proxy: false, redirect: true })).toContain("RESTANTE_REDIRECT_PROVIDERS");
  });

  test("requires a service that intercepts providers with --proxy", () => {
    expect(() => clientEnvironment({ ...needs, proxy: true, providerHosts })).toThrow("RESTANTE_INTERCEPT");
    const intercepting = { ...needs, address: { ...address, intercepted: ["alpha"] }, proxy: true, providerHosts };
    expect(values(intercepting)["HTTPS_PROXY"]).toBe("http://127.0.0.1:8025");
  });
});
