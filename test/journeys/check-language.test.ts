/** `restante check --language`: one request from a runtime, which tells whether the variables lead it here. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { languages } from "../../src/cli/environment/probe-programs.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import type { Ending } from "../../src/testing/service-process.ts";
import { runLocally } from "./local-command.ts";

const settings = { RESTANTE_API_KEY: "a-key-for-journeys", RESTANTE_SERVERS: "jrny1234:Journey" };
let folder: string;
let dataDir: string;
let service: LocalService;
let proxied: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-languages-"));
  dataDir = join(folder, "data");
  service = await LocalService.start([`--data-dir=${dataDir}`, "--intercept=twilio,ses,sendgrid"], settings);
  proxied = await variables("--proxy");
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function variables(flag: string): Promise<Record<string, string>> {
  const { out } = await runLocally(["env", "--json", flag, "--providers", `--data-dir=${dataDir}`], {
    environment: settings,
  });
  return JSON.parse(out) as Record<string, string>;
}

const withoutProxies = { HTTPS_PROXY: "", https_proxy: "", NO_PROXY: "", no_proxy: "" };
const check = async (language: string, environment: Record<string, string>): Promise<Ending> =>
  runLocally(["check", `--language=${language}`, `--data-dir=${dataDir}`], {
    environment: { ...settings, ...withoutProxies, ...environment },
  });

/** Returns variables with a command of this name that runs a script for sh. */
function withCommand(name: string, script: string): Record<string, string> {
  const file = join(folder, name, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return { ...proxied, PATH: [dirname(file), process.env["PATH"] ?? ""].join(delimiter) };
}

describe("restante check --language", () => {
  test.each(["--proxy", "--redirect"])(
    "tells that a request of Node arrives with the variables of %s",
    async (flag) => {
      const { code, out } = await check("node", await variables(flag));
      expect([code, out.split("\n")[0]]).toEqual([0, "Node: a request arrives here, before it can reach a provider."]);
    },
  );

  test("sends nothing in a shell without the variables, or with those of another service", async () => {
    for (const environment of [{}, { ...proxied, https_proxy: "http://127.0.0.1:1" }]) {
      const { code, out } = await check("node", environment);
      expect([code, out]).toEqual([1, expect.stringContaining("restante env --proxy --providers")]);
    }
  });

  test.each(["twilio.com", ".twilio.com:443", "localhost, api.twilio.com"])(
    "names a provider that NO_PROXY=%s excludes",
    async (excluded) => {
      const { code, out } = await check("node", { ...proxied, NO_PROXY: excluded });
      expect([code, out]).toEqual([1, "Node: requests to api.twilio.com do not arrive here: NO_PROXY excludes it.\n"]);
    },
  );

  test("names a provider when NO_PROXY excludes all hosts", async () => {
    const { code, out } = await check("node", { ...proxied, no_proxy: "*" });
    expect([code, out]).toEqual([1, expect.stringMatching(/NO_PROXY excludes it\.\n$/)]);
  });

  test("passes the variables and a URL that exists nowhere to the program", async () => {
    const script = '[ "$JAVA_TOOL_OPTIONS" != "" ] && [ "$2" = https://restante.example.com/healthz ] && echo 200';
    const { code, out } = await check("java", withCommand("java", script));
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Java: a request arrives here.*\nApache HttpClient 4 .*\nSendGrid: .*new SendGrid\(key, true\)/,
    );
  });

  test("tells that a runtime ignores the proxy when it looks up the host", async () => {
    const error = "Exception in thread main java.net.UnknownHostException: restante.example.com";
    const { code, out } = await check("java", withCommand("java", `echo '${error}' >&2; exit 1`));
    expect([code, out]).toEqual([1, expect.stringContaining("would call the real provider")]);
  });

  test("shows the error of a runtime that does not trust the certificate", async () => {
    const { code, out } = await check("ruby", withCommand("ruby", "echo 'certificate verify failed' >&2; exit 1"));
    expect([code, out]).toEqual([1, "Ruby: a request does not arrive here: certificate verify failed\n"]);
  });

  test("tells that a language is not installed", async () => {
    const { code, out } = await check("dotnet", { ...proxied, PATH: join(folder, "none") });
    expect([code, out]).toEqual([1, ".NET: dotnet is not installed.\n"]);
  });

  test("rejects unknown languages, and lists all", async () => {
    const { code, error } = await check("cobol", proxied);
    expect(code).toBe(2);
    expect(error).toContain(Object.keys(languages).join(", "));
  });
});
