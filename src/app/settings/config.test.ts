import fc from "fast-check";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import { memoryLimits } from "../../core/memory-limits.ts";
import { localhostWarnings } from "./listener-settings.ts";
import { readSettings, SettingsError } from "./config.ts";
import { flagOf, type Setting } from "./setting.ts";
import { limitSettings, memoryBytesMax } from "./limit-settings.ts";
import { choiceSettings, settings } from "./table.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";

const read = (environment: Record<string, string>, ...argv: string[]) => readSettings(environment, argv).config;

function refusalOf(environment: Record<string, string>, ...argv: string[]): string {
  try {
    readSettings(environment, argv);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as SettingsError).message;
  }
  throw new Error("the settings were accepted");
}

describe("readSettings", () => {
  test("returns the documented default of every setting when nothing is given", () => {
    const config: Readonly<Record<string, unknown>> = { ...read({}) };
    for (const [name, { fallback, fallbackText, form }] of Object.entries<Setting<unknown>>(choiceSettings)) {
      const normalise = (value: unknown): unknown => form.normalise?.(value) ?? value;
      expect([name, config[name]]).toEqual([name, fallback === null ? null : normalise(fallback)]);
      const [, documented] = /^`(.*)`$/.exec(fallbackText) ?? [];
      if (documented !== undefined && !documented.startsWith("RESTANTE_")) {
        expect([name, normalise(form.read(documented))]).toEqual([name, config[name]]);
      }
    }
    expect(config["limits"]).toEqual({ ...defaultLimits, ...memoryLimits(memoryBytesMax()) });
    expect(config).toMatchObject({
      dataDir: resolve("restante-data"),
      bind: ["127.0.0.1"],
      httpPort: 8025,
      smtpPort: 1025,
    });
  });

  test("refuses placeholders and short keys when the listeners are not on loopback", () => {
    const exposed = (key: string): string => refusalOf({ RESTANTE_BIND: "0.0.0.0", RESTANTE_API_KEY: key });
    expect(exposed("replace-me-account-key")).toContain("RESTANTE_API_KEY is a known placeholder");
    expect(exposed("short-one-12")).toContain("RESTANTE_API_KEY must have at least 16 characters");
    expect(exposed("short-one-12")).not.toContain("short-one-12");
    expect(read({ RESTANTE_API_KEY: "short-one-12" }).apiKey).toBe("short-one-12");
  });

  test("gives flags precedence over the environment, and the environment over defaults", () => {
    const environment = { RESTANTE_HTTP_PORT: "9000", RESTANTE_SMTP_PORT: "9001" };
    const config = read(environment, "--http-port", "9002");
    expect([config.httpPort, config.smtpPort]).toEqual([9002, 9001]);
  });

  test("reads the path of the APIs of other mail catchers with or without a slash at its end", () => {
    const paths = ["", "/", "/mail", "/mail/", "/tools/mail/"].map(
      (path) => read({ RESTANTE_PEER_PATH: path }).peerPath,
    );
    expect(paths).toEqual(["", "", "/mail", "/mail", "/tools/mail"]);
    for (const path of ["mail", "//mail", "/mail?", "/a b", "https://mail.example/"]) {
      expect(refusalOf({ RESTANTE_PEER_PATH: path })).toContain("RESTANTE_PEER_PATH");
    }
  });

  test("uses the last of a repeated flag, with a space or an equals sign", () => {
    expect(read({}, "--http-port=1", "--http-port", "2").httpPort).toBe(2);
  });

  test("counts an empty variable as absent, but not an empty flag", () => {
    expect(read({ RESTANTE_BIND: "" }).bind).toEqual(["127.0.0.1"]);
    expect(refusalOf({}, "--bind=")).toMatch(/^--bind: "" is not allowed/);
  });

  test("returns a deeply frozen object", () => {
    const config = read({ RESTANTE_SERVERS: "abcd1234:A" });
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.limits)).toBe(true);
    expect(Object.isFrozen(config.servers?.[0])).toBe(true);
  });

  test("names all invalid settings at once, with their valid values", () => {
    const message = refusalOf({ RESTANTE_BIND: "everywhere", RESTANTE_LIMIT_PART_COUNT: "1024" }, "--smtp-port=65536");
    expect(message.split("\n")).toEqual([
      'RESTANTE_BIND: "everywhere" is not allowed; give IPv4 and IPv6 addresses separated by commas, such as 127.0.0.1,::1, or localhost; 0.0.0.0 and :: without another address of their kind',
      '--smtp-port: "65536" is not allowed; give a port from 0 to 65535 (0 picks a free one) or off',
      'RESTANTE_LIMIT_PART_COUNT: "1024" is not allowed; give an integer from 1 to 1023',
    ]);
  });

  test("never shows a secret in an error", () => {
    const message = refusalOf({ RESTANTE_API_KEY: "a:secret:with:colons" });
    expect(message).toContain("RESTANTE_API_KEY");
    expect(message).not.toContain("secret:with");
  });

  test("refuses unknown flags and suggests the most similar one", () => {
    expect(refusalOf({}, "--htp-port", "1")).toBe("unknown flag --htp-port; did you mean --http-port?");
    expect(refusalOf({}, "--quiet")).toBe("unknown flag --quiet");
    expect(refusalOf({}, "-p", "1")).toContain("unknown flag -p");
    expect(refusalOf({}, "now")).toContain('"now"');
  });

  test("refuses a flag without a value, also when another flag follows", () => {
    expect(refusalOf({}, "--bind")).toBe("--bind needs a value");
    expect(refusalOf({}, "--bind", "--http-port=1")).toBe("--bind needs a value");
  });

  test("warns about unknown variables with the prefix RESTANTE_ only", () => {
    const { warnings } = readSettings({ RESTANTE_HTPP_PORT: "1", RESTANTE_SUBMARINE: "x", HOME: "/root" }, []);
    expect(warnings).toEqual([
      "RESTANTE_HTPP_PORT is not a setting and has no effect; did you mean RESTANTE_HTTP_PORT?",
      "RESTANTE_SUBMARINE is not a setting and has no effect",
    ]);
  });

  test("does not warn about variables of the redirect module", () => {
    expect(readSettings({ RESTANTE_REDIRECT_URL: "http://127.0.0.1:8025" }, []).warnings).toEqual([]);
  });

  test("refuses a certificate without its key, and settings with all listeners off", () => {
    expect(refusalOf({ RESTANTE_TLS_CERT: "cert.pem" })).toContain("RESTANTE_TLS_KEY");
    expect(refusalOf({}, "--http-port=off", "--https-port=off", "--smtp-port=off")).toContain("enable at least one");
    expect(read({}, "--http-port=off", "--smtp-port=off").httpsPort).toBe(8443);
  });

  test("refuses an invalid relay URL without showing it, and an incomplete DKIM key", () => {
    const refused = refusalOf({ RESTANTE_RELAY_URL: "smtp://user:secret@host/path" });
    expect(refused).toContain("RESTANTE_RELAY_URL");
    expect(refused).not.toContain("secret");
    expect(refusalOf({ RESTANTE_DKIM_SELECTOR: "s1" })).toContain("RESTANTE_DKIM_KEY");
  });

  test.each(["alice", "a b@x.example", "@", "@x.example,", "<a@x.example>", "*.x.example"])(
    "refuses %j as something verified",
    (text) => {
      expect(refusalOf({ RESTANTE_VERIFIED: text })).toContain("RESTANTE_VERIFIED");
    },
  );

  test("reads verified addresses and domains", () => {
    expect(read({ RESTANTE_VERIFIED: "alice@corp.example, @corp.example" }).verified).toEqual([
      "alice@corp.example",
      "@corp.example",
    ]);
  });
});

describe("forms of settings", () => {
  const taken: [name: string, text: string, value: unknown][] = [
    ["RESTANTE_HTTP_PORT", "off", null],
    ["RESTANTE_HTTP_PORT", "0", 0],
    ["RESTANTE_HTTP_PORT", "65535", 65_535],
    ["RESTANTE_BIND", "::", ["::"]],
    ["RESTANTE_BIND", "127.0.0.1, ::1,0:0::1", ["127.0.0.1", "::1"]],
    ["RESTANTE_BIND", "0.0.0.0,::", ["0.0.0.0", "::"]],
    ["RESTANTE_MAIL_DOMAIN", "Mail.Example", "mail.example"],
    ["RESTANTE_CATCH_ALL", "off", "off"],
    ["RESTANTE_CATCH_ALL", "ABCD1234", "abcd1234"],
    ["RESTANTE_PUBLIC_URL", "https://mail.example/restante/", "https://mail.example/restante"],
    ["RESTANTE_PUBLIC_URL", "http://mail.example:8025", "http://mail.example:8025"],
    [
      "RESTANTE_SERVERS",
      "abcd1234:One, efgh5678: Two: b",
      [
        { id: "abcd1234", name: "One" },
        { id: "efgh5678", name: "Two: b" },
      ],
    ],
    ["RESTANTE_LIMIT_MESSAGE_BYTES", "1024", 1024],
    ["RESTANTE_LIMIT_MESSAGE_BYTES", "1073741824", 1_073_741_824],
    ["RESTANTE_TRUST_LOOPBACK", "no", false],
    ["RESTANTE_SECRET_KEY", "0123456789abcdef", "0123456789abcdef"],
    ["RESTANTE_SPAMD", "127.0.0.1", { host: "127.0.0.1", port: 783 }],
    ["RESTANTE_SPAMD", "spam.example:1783", { host: "spam.example", port: 1783 }],
    ["RESTANTE_SPAMD", "[::1]:783", { host: "::1", port: 783 }],
    ["RESTANTE_SMTP_PROXIES", "192.0.2.7, 10.0.0.0/8,fd00::/8", ["192.0.2.7", "10.0.0.0/8", "fd00::/8"]],
    ["RESTANTE_DNS", "system", "system"],
    ["RESTANTE_DNS", "off", "off"],
    ["RESTANTE_DNS", "127.0.0.1:5353, ::1,[::1]:53", ["127.0.0.1:5353", "::1", "[::1]:53"]],
    ["RESTANTE_LINK_CHECK", "yes", true],
    ["RESTANTE_CHROMIUM", "off", "off"],
    ["RESTANTE_CHROMIUM", "/usr/bin/chromium", "/usr/bin/chromium"],
    ["RESTANTE_LIMIT_EMAIL_COUNT_PER_DAY", "2", 2],
    ["RESTANTE_LIMIT_SERVER_COUNT", "2147483647", 2_147_483_647],
    ["RESTANTE_API_KEY", "12345678", "12345678"],
    ["RESTANTE_API_KEY", "~".repeat(256), "~".repeat(256)],
  ];
  test.each(taken)("%s accepts %j", (name, text, value) => {
    expect(settings.find((setting) => setting.env === name)?.form.read(text)).toEqual(value);
  });

  const refused: [name: string, text: string][] = [
    ["RESTANTE_HTTP_PORT", "65536"],
    ["RESTANTE_HTTP_PORT", "-1"],
    ["RESTANTE_HTTP_PORT", "8025 "],
    ["RESTANTE_HTTP_PORT", "0x50"],
    ["RESTANTE_BIND", "127.0.0.1,"],
    ["RESTANTE_BIND", "localhost.example"],
    ["RESTANTE_BIND", "0.0.0.0,localhost"],
    ["RESTANTE_BIND", "::,::1"],
    ["RESTANTE_BIND", "fe80::1%eth0"],
    ["RESTANTE_MAIL_DOMAIN", "test"],
    ["RESTANTE_MAIL_DOMAIN", ".test"],
    ["RESTANTE_MAIL_DOMAIN", "a..b"],
    ["RESTANTE_MAIL_DOMAIN", `${"a".repeat(64)}.test`],
    ["RESTANTE_CATCH_ALL", "second"],
    ["RESTANTE_PUBLIC_URL", "mail.example"],
    ["RESTANTE_PUBLIC_URL", "ftp://mail.example"],
    ["RESTANTE_PUBLIC_URL", "http://user:pass@mail.example"],
    ["RESTANTE_PUBLIC_URL", "http://mail.example/?a=b"],
    ["RESTANTE_SERVERS", "abcd1234"],
    ["RESTANTE_SERVERS", "abcd1234:"],
    ["RESTANTE_SERVERS", "short:Name"],
    ["RESTANTE_SERVERS", "abcd1234:One,ABCD1234:Two"],
    ["RESTANTE_SERVERS", "abcd1234:One,"],
    ["RESTANTE_LIST_ENVELOPE", "Auto"],
    ["RESTANTE_TRUST_LOOPBACK", "true"],
    ["RESTANTE_LOG", "trace"],
    ["RESTANTE_LIMIT_MESSAGE_BYTES", "1023"],
    ["RESTANTE_LIMIT_MESSAGE_BYTES", "1073741825"],
    ["RESTANTE_SECRET_KEY", "0123456789abcde"],
    ["RESTANTE_SECRET_KEY", "with a blank in it"],
    ["RESTANTE_SPAMD", "http://spam.example"],
    ["RESTANTE_SPAMD", "spam.example:0"],
    ["RESTANTE_SPAMD", "::1:783"],
    ["RESTANTE_SMTP_PROXIES", "balancer.example"],
    ["RESTANTE_SMTP_PROXIES", "10.0.0.0/33"],
    ["RESTANTE_DNS", "on"],
    ["RESTANTE_CHROMIUM", "chromium"],
    ["RESTANTE_CHROMIUM", "./chromium"],
    ["RESTANTE_DNS", "dns.example"],
    ["RESTANTE_DNS", "127.0.0.1,"],
    ["RESTANTE_DNS", "127.0.0.1:65536"],
    ["RESTANTE_LIMIT_EMAIL_COUNT_PER_DAY", "1"],
    ["RESTANTE_LIMIT_SMS_COUNT_PER_DAY", "2147483648"],
    ["RESTANTE_API_KEY", "1234567"],
    ["RESTANTE_API_KEY", "x".repeat(257)],
    ["RESTANTE_API_KEY", "with space"],
    ["RESTANTE_API_KEY", "with:colon"],
    ["RESTANTE_API_KEY", "schlüssel"],
  ];
  test.each(refused)("%s refuses %j", (name, text) => {
    const setting = settings.find(({ env }) => env === name);
    expect(setting).toBeDefined();
    expect(setting?.form.read(text)).toBeUndefined();
  });

  test("never throw for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 300 }), (text) => {
        for (const setting of settings) setting.form.read(text);
      }),
    );
  });
});

describe("table of settings", () => {
  test("has unique names and valid defaults", () => {
    const names = settings.map(({ env }) => env);
    expect(new Set(names).size).toBe(names.length);
    for (const setting of settings) {
      expect(setting.env).toMatch(/^RESTANTE_[A-Z0-9_]+$/);
      const isText = typeof setting.fallback === "string" || typeof setting.fallback === "number";
      if (isText) expect(setting.form.read(`${setting.fallback}`)).toBe(setting.fallback);
    }
  });

  test("has a setting for every limit", () => {
    expect(Object.keys(limitSettings).sort()).toEqual(Object.keys(defaultLimits).sort());
    expect(limitSettings.messageBytesMax.env).toBe("RESTANTE_LIMIT_MESSAGE_BYTES");
    expect(limitSettings.wrongKeyCountPerMinuteMax.env).toBe("RESTANTE_LIMIT_WRONG_KEY_COUNT_PER_MINUTE");
    expect(limitSettings.outboundCountPerHourMax.env).toBe("RESTANTE_LIMIT_LEAVING_COUNT_PER_HOUR");
    expect(flagOf(choiceSettings.dataDir.env)).toBe("data-dir");
  });
});

test("an unknown cipher or version of TLS is refused with the name of the setting", () => {
  expect(refusalOf({ RESTANTE_TLS_CIPHERS: "NONE-OF-THESE" })).toMatch(/^RESTANTE_TLS_CIPHERS: .* is not allowed/);
  expect(refusalOf({ RESTANTE_TLS_MIN_VERSION: "1.4" })).toMatch(/^RESTANTE_TLS_MIN_VERSION: .* is not allowed/);
  expect(read({ RESTANTE_TLS_CIPHERS: "AES128-SHA" })).toMatchObject({
    tlsCiphers: "AES128-SHA",
    tlsMinVersion: "1.2",
  });
});

test("warns about localhost only where this machine lacks one of its addresses, naming the flag", () => {
  const { config, warnings } = readSettings({}, ["--bind=localhost"]);
  expect(["127.0.0.1", "::1"]).toEqual(expect.arrayContaining([...config.bind]));
  expect(warnings).toEqual(config.bind.length === 2 ? [] : [`--bind: ${localhostWarnings("localhost").join()}`]);
});
