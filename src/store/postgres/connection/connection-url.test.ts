import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { libpqEnvironment, readDatabaseUrl, withDatabase } from "./connection-url.ts";
import { codePoint } from "../../../testing/code-point.test-aid.ts";

describe("readDatabaseUrl", () => {
  test("returns one or several hosts in the order in which they are tried", () => {
    expect(readDatabaseUrl("postgres://app:se%2Fc:ret@db.example/mail")).toMatchObject({
      hosts: [{ host: "db.example", port: 5432 }],
      user: "app",
      password: "se/c:ret",
      database: "mail",
    });
    expect(readDatabaseUrl("postgresql://app@one:5433,[::1]:5434,10.0.0.3/mail").hosts).toEqual([
      { host: "one", port: 5433 },
      { host: "::1", port: 5434 },
      { host: "10.0.0.3", port: 5432 },
    ]);
    expect(readDatabaseUrl("postgres://app@/mail?host=/var/run/postgresql").hosts).toEqual([
      { host: "/var/run/postgresql", port: 5432 },
    ]);
    expect(readDatabaseUrl("postgres://")).toMatchObject({ hosts: [{ host: "127.0.0.1" }], user: "postgres" });
    expect(readDatabaseUrl("postgres://app@h")).toMatchObject({ database: "app", password: null });
  });

  test.each([
    ["postgres://h/d", "require"],
    ["postgres://127.0.0.1/d", "disable"],
    ["postgres://localhost,[::1]/d", "disable"],
    ["postgres://localhost,elsewhere/d", "require"],
    ["postgres://localhost.evil.example/d", "require"],
    ["postgres://h/d?sslmode=disable", "disable"],
    ["postgres://127.0.0.1/d?sslmode=verify-full", "verify-full"],
    ["postgres://h/d?sslmode=require&sslrootcert=/ca.pem", "verify-ca"],
    ["postgres://h/d?sslmode=verify-full&sslrootcert=system", "verify-full"],
  ])("reads the TLS mode of %s: %s", (url, tls) => {
    expect(readDatabaseUrl(url).tls).toBe(tls);
  });

  test("defaults to a writable server and a timeout of five seconds per host", () => {
    expect(readDatabaseUrl("postgres://h/d")).toMatchObject({ readWrite: true, connectMsMax: 5000 });
    const other = "postgres://h/d?target_session_attrs=any&connect_timeout=30&application_name=me";
    expect(readDatabaseUrl(other)).toMatchObject({ readWrite: false, connectMsMax: 30_000, applicationName: "me" });
  });

  test.each([
    ["mysql://u:SECRET@h/d", "must begin with postgres://"],
    ["postgres://u:SECRET@h/d?sslmode=prefer", "sslmode"],
    ["postgres://u:SECRET@h/d?pool=3", '"pool"'],
    ["postgres://u:SECRET@h:0/d", "not a valid host"],
    ["postgres://u:SECRET@h:99999/d", "not a valid host"],
    ["postgres://u:SECRET@h i/d", "not a valid host"],
    ["postgres://u:SECRET@h/d?connect_timeout=0", "connect_timeout"],
    ["postgres://u:SECRET@h/d?target_session_attrs=standby", "target_session_attrs"],
    ["postgres://u:SECRET%@h/d", "hexadecimal"],
  ])("rejects %s with the reason and without the password", (url, reason) => {
    expect(() => readDatabaseUrl(url)).toThrow(reason);
    expect(() => readDatabaseUrl(url)).not.toThrow("SECRET");
  });

  test("decodes all parts, and reads or rejects any input", () => {
    const part = fc.string({ minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(part, part, part, (user, password, database) => {
        const [one, two, three] = [user, password, database].map(encodeURIComponent);
        const read = readDatabaseUrl(`postgres://${one ?? ""}:${two ?? ""}@h/${three ?? ""}`);
        expect(read).toMatchObject({ user, password, database });
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        try {
          expect(readDatabaseUrl(`postgres://${text}`).hosts.length).toBeGreaterThan(0);
        } catch (error) {
          expect((error as Error).name).toBe("Error");
        }
      }),
    );
  });
});

describe("libpqEnvironment", () => {
  test("connects as the URL does, to the same hosts and with the same trust", () => {
    expect(libpqEnvironment("postgres://app:se%2Fc:ret@one:5433,[::1]:5434/mail?connect_timeout=7")).toEqual({
      PGHOST: "one,::1",
      PGPORT: "5433,5434",
      PGUSER: "app",
      PGPASSWORD: "se/c:ret",
      PGDATABASE: "mail",
      PGSSLMODE: "require",
      PGTARGETSESSIONATTRS: "read-write",
      PGCONNECT_TIMEOUT: "7",
      PGAPPNAME: "restante",
    });
    expect(libpqEnvironment("postgres://app@db/mail?sslmode=verify-full")).toMatchObject({ PGSSLROOTCERT: "system" });
    const files = "sslmode=verify-ca&sslrootcert=/r.pem&sslcert=/c.pem&sslkey=/k.pem&target_session_attrs=any";
    expect(libpqEnvironment(`postgres://app@db/mail?${files}`)).toMatchObject({
      PGSSLMODE: "verify-ca",
      PGSSLROOTCERT: "/r.pem",
      PGSSLCERT: "/c.pem",
      PGSSLKEY: "/k.pem",
      PGTARGETSESSIONATTRS: "any",
    });
    expect(libpqEnvironment("postgres://app@db/mail")).not.toHaveProperty("PGPASSWORD");
  });
});

test.each([
  ["postgres://app:p@one:1,two:2/mail?sslmode=disable", "postgres://app:p@one:1,two:2/x%20y?sslmode=disable"],
  ["postgresql://h", "postgresql://h/x%20y"],
  ["postgres://app@/mail?host=/run", "postgres://app@/x%20y?host=/run"],
])("withDatabase replaces the name in %s", (url, expected) => {
  expect(withDatabase(url, "x y")).toBe(expected);
});
