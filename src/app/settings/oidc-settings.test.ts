import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBackgroundTasks } from "../../core/background-tasks.ts";
import type { IssuerSettings } from "../../core/issuer.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { readSettings } from "./config.ts";
import { openConfiguredIssuers } from "./oidc-settings.ts";

const issuer = { name: "corp", issuer: "https://login.corp.example", clientId: "restante" };
let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-oidc-file-"));
  file = join(folder, "issuers.json");
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Returns the settings of the issuers in the file and in variables. */
function open(content: unknown, environment: Readonly<Record<string, string>> = {}): readonly IssuerSettings[] {
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  const { config } = readSettings({ RESTANTE_OIDC_FILE: file, ...environment }, []);
  const clock = new FakeClock();
  const tasks = createBackgroundTasks(clock, () => undefined);
  return openConfiguredIssuers(config, { clock, tasks }).all.map(({ settings }) => settings);
}

describe("the file of issuers", () => {
  test("has defaults for all but name, URL and client id, after the issuer of the variables", () => {
    const own = { RESTANTE_OIDC_ISSUER: "https://id.example", RESTANTE_OIDC_CLIENT_ID: "x" };
    expect(open([{ ...issuer, domains: ["Corp.Example"] }], own)).toMatchObject([
      { name: "default", label: "id.example", audiences: ["x"] },
      {
        ...issuer,
        label: "login.corp.example",
        clientSecret: null,
        scopes: ["openid", "profile", "email"],
        audiences: ["restante"],
        groupsClaim: null,
        accountGroups: [],
        domains: ["corp.example"],
        mayCreate: true,
      },
    ]);
    expect(open([])).toEqual([]);
  });

  test.each([
    ["is not JSON", "[", "is not JSON"],
    ["is larger than a mebibyte", `[]${" ".repeat(1024 * 1024)}`, "is larger than 1048576 bytes"],
    ["is no array", issuer, "array"],
    ["has an unknown member", [{ ...issuer, secret: "x" }], "[0].secret: Is unknown"],
    ["lacks the client id", [{ name: "corp", issuer: issuer.issuer }], "clientId"],
    ["has a name that no path has", [{ ...issuer, name: "Corp/1" }], "Must be 1 to 40 of a-z, 0-9 and -"],
    ["has a text where a list belongs", [{ ...issuer, scopes: "openid" }], "scopes"],
    ["has scopes without openid", [{ ...issuer, scopes: ["email"] }], "scopes of corp are not allowed"],
    ["has no scopes", [{ ...issuer, scopes: [] }], "scopes of corp are not allowed"],
    ["has a domain of one label", [{ ...issuer, domains: ["corp"] }], "domains of corp are not allowed"],
    [
      "has owners without a claim of groups",
      [{ ...issuer, accountGroups: ["a"] }],
      "accountGroups of corp requires groupsClaim",
    ],
    ["has plain HTTP", [{ ...issuer, issuer: "http://login.corp.example" }], "is not allowed; give an https:// URL"],
    ["has a URL with a query", [{ ...issuer, issuer: "https://a.example/?a" }], "is not allowed; give an https:// URL"],
    [
      "has a URL with a password",
      [{ ...issuer, issuer: "https://a:b@a.example" }],
      "is not allowed; give an https:// URL",
    ],
    ["has no URL", [{ ...issuer, issuer: "corp" }], "is not allowed; give an https:// URL"],
    ["has a name twice", [issuer, { ...issuer, issuer: "https://b.example" }], "needs a name and a URL of its own"],
    ["has a URL twice", [issuer, { ...issuer, name: "b" }], "needs a name and a URL of its own"],
    ["has more than 20 issuers", Array.from({ length: 21 }, () => issuer), "20"],
  ])("is refused when it %s", (_text, content, fault) => {
    expect(() => open(content)).toThrow(fault);
    expect(() => open(content)).toThrow("RESTANTE_OIDC_FILE: ");
  });

  test("is refused with the name of the issuer of the variables", () => {
    const own = { RESTANTE_OIDC_ISSUER: "https://id.example", RESTANTE_OIDC_CLIENT_ID: "x" };
    expect(() => open([{ ...issuer, name: "default" }], own)).toThrow('"default" is that of RESTANTE_OIDC_ISSUER');
  });

  test("is named when it does not exist", () => {
    const { config } = readSettings({ RESTANTE_OIDC_FILE: join(folder, "none.json") }, []);
    const clock = new FakeClock();
    const tasks = createBackgroundTasks(clock, () => undefined);
    expect(() => openConfiguredIssuers(config, { clock, tasks })).toThrow("none.json");
  });
});

describe("variables", () => {
  test.each([
    [{ RESTANTE_OIDC_ISSUER: "https://id.example" }, "must be set together"],
    [{ RESTANTE_OIDC_CLIENT_ID: "x" }, "must be set together"],
    [
      { RESTANTE_OIDC_ISSUER: "https://id.example", RESTANTE_OIDC_CLIENT_ID: "x", RESTANTE_OIDC_ACCOUNT_GROUPS: "a" },
      "RESTANTE_OIDC_GROUPS_CLAIM",
    ],
    [{ RESTANTE_OIDC_ISSUER: "http://id.example", RESTANTE_OIDC_CLIENT_ID: "x" }, "RESTANTE_OIDC_ISSUER"],
    [{ RESTANTE_OIDC_SCOPES: "email" }, "RESTANTE_OIDC_SCOPES"],
    [{ RESTANTE_OIDC_DOMAINS: "corp" }, "RESTANTE_OIDC_DOMAINS"],
  ])("are refused when they contradict themselves: %j", (environment, fault) => {
    expect(() => readSettings(environment, [])).toThrow(fault);
  });
});
