import { expect, test } from "vitest";
import { readSettings, SettingsError } from "./config.ts";

const complete = {
  RESTANTE_MX: "mx.corp.example",
  RESTANTE_MAIL_DOMAIN: "corp.example",
  RESTANTE_BIND: "0.0.0.0",
  RESTANTE_API_KEY: "0123456789abcdef0123456789",
};

function refusalOf(environment: Readonly<Record<string, string>>): string {
  try {
    readSettings(environment, []);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return "";
}

test("accepts a host name and a mail domain on addresses that others reach, and reads zones and durations", () => {
  const more = { RESTANTE_BLOCK_LISTS: "zen.example, two.example", RESTANTE_GREYLIST_MS: "60000" };
  const { config } = readSettings({ ...complete, ...more, RESTANTE_MTA_STS: "off" }, []);
  expect(config).toMatchObject({ mx: "mx.corp.example", mtaSts: "off", greylistMs: 60_000 });
  expect(config.blockLists).toEqual(["zen.example", "two.example"]);
});

test("accepts listeners on loopback behind a load balancer", () => {
  expect(refusalOf({ ...complete, RESTANTE_BIND: "127.0.0.1", RESTANTE_SMTP_PROXIES: "127.0.0.1" })).toBe("");
});

test.each([
  ["RESTANTE_MAIL_DOMAIN", "", "give RESTANTE_MAIL_DOMAIN too"],
  ["RESTANTE_BIND", "127.0.0.1", "give RESTANTE_BIND=0.0.0.0"],
  ["RESTANTE_SMTP_PORT", "off", "RESTANTE_SMTP_PORT is off"],
  ["RESTANTE_SMTP_AUTH", "any", "accepts any password"],
  ["RESTANTE_SMTP_AUTH", "required", "rejects the mail of other mail servers"],
  ["RESTANTE_PROVIDER_KEYS", "any", "accepts any key"],
  ["RESTANTE_SMTP_STARTTLS", "never", "contradicts RESTANTE_MX"],
  ["RESTANTE_MTA_STS", "enforce", "requires a certificate that senders accept"],
])("refuses %s=%s with RESTANTE_MX, and says what to give", (name, value, text) => {
  expect(refusalOf({ ...complete, [name]: value })).toContain(text);
});

test("reads certificate authorities by name and by URL", () => {
  const acmeOf = (value: string): string | null =>
    readSettings({ ...complete, RESTANTE_ACME: value, RESTANTE_ACME_CONTACT: "a@corp.example" }, []).config.acme;
  expect(acmeOf("letsencrypt")).toBe("https://acme-v02.api.letsencrypt.org/directory");
  expect(acmeOf("https://ca.corp.example:9000/acme/acme/directory")).toBe(
    "https://ca.corp.example:9000/acme/acme/directory",
  );
});

test.each([
  ["RESTANTE_ACME", "http://ca.corp.example/", "letsencrypt-staging"],
  ["RESTANTE_ACME", "constructor", "letsencrypt-staging"],
  ["RESTANTE_ACME_CONTACT", "a@b.example, c@d.example", "one plain address"],
  ["RESTANTE_TLS_CERT", "/cert.pem", "exclude each other"],
])("refuses %s=%s with an authority", (name, value, text) => {
  const given = { ...complete, RESTANTE_ACME: "letsencrypt", RESTANTE_TLS_KEY: "/key.pem", [name]: value };
  expect(refusalOf(given)).toContain(text);
});

test("requires a port at which an authority verifies names, of its own or that of HTTPS", () => {
  const given = { ...complete, RESTANTE_ACME: "letsencrypt", RESTANTE_ACME_PORT: "off" };
  expect(refusalOf(given)).toBe("");
  expect(refusalOf({ ...given, RESTANTE_HTTPS_PORT: "off" })).toContain("give RESTANTE_ACME_PORT");
});

test("enforces MTA-STS with the certificate of an authority or of the operator", () => {
  const enforced = { ...complete, RESTANTE_MTA_STS: "enforce" };
  expect(refusalOf({ ...enforced, RESTANTE_ACME: "letsencrypt" })).toBe("");
  expect(refusalOf({ ...enforced, RESTANTE_TLS_CERT: "/cert.pem", RESTANTE_TLS_KEY: "/key.pem" })).toBe("");
});

test("refuses block lists without DNS", () => {
  expect(refusalOf({ ...complete, RESTANTE_DNS: "off", RESTANTE_BLOCK_LISTS: "zen.example" })).toContain(
    "requires DNS",
  );
});

test.each([
  ["RESTANTE_ACME", "letsencrypt"],
  ["RESTANTE_BLOCK_LISTS", "zen.example"],
  ["RESTANTE_GREYLIST_MS", "60000"],
])("refuses %s without RESTANTE_MX", (name, value) => {
  expect(refusalOf({ [name]: value })).toContain(`${name} has an effect only where mail arrives from the Internet`);
});
