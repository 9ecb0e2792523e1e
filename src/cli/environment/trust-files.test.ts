import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { languageVariableNames, languageVariables } from "./trust-files.ts";

let folder: string;
let bundle: string;
const proxy = "http://127.0.0.1:8025";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-languages-"));
  openBundle("data");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function openBundle(name: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  bundle = join(folder, name, "bundle.pem");
  writeFileSync(bundle, rootCertificates.slice(0, 2).join("\n"));
}

const variables = (environment: Record<string, string> = {}, url: string | null = proxy): Record<string, string> =>
  Object.fromEntries(languageVariables({ bundle, proxy: url, environment }));

test.each([null, proxy])("languageVariableNames has all variables with the proxy %s", (url) => {
  expect(languageVariableNames(url !== null).toSorted()).toEqual(Object.keys(variables({}, url)).toSorted());
});

test("keeps variables that others set, and replaces its own", () => {
  const given = {
    JAVA_TOOL_OPTIONS: "-Xmx1g -Dhttps.proxyHost=old -Djavax.net.ssl.trustStore='/a b/c' -Dhttp.agent=x",
    PHP_INI_SCAN_DIR: "/etc/php",
    RUBYLIB: "/lib/ruby",
    RUBYOPT: "-W0",
  };
  const once = variables(given);
  expect(variables({ ...given, ...once })).toEqual(once);
  expect(once).toMatchObject({
    JAVA_TOOL_OPTIONS: `-Xmx1g -Dhttp.agent=x -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=8025 -Djavax.net.ssl.trustStore=${join(folder, "data", "truststore.p12")} -Djavax.net.ssl.trustStoreType=PKCS12`,
    PHP_INI_SCAN_DIR: ["/etc/php", join(folder, "data", "php")].join(delimiter),
    RUBYLIB: [join(folder, "data", "ruby"), "/lib/ruby"].join(delimiter),
    RUBYOPT: "-W0 -rrestante_proxy",
  });
});

test("adds to the folders that PHP reads by default", () => {
  expect(variables({}, null)["PHP_INI_SCAN_DIR"]).toBe(`${delimiter}${join(folder, "data", "php")}`);
  expect(readFileSync(join(folder, "data", "php", "restante.ini"), "utf8")).toBe(
    `curl.cainfo = '${bundle}'\nopenssl.cafile = '${bundle}'\n`,
  );
});

describe("with a data folder whose name has blanks and quotes", () => {
  beforeEach(() => {
    openBundle(`it's a "data"`);
  });

  test("quotes the trust store as HotSpot reads it, once", () => {
    const { JAVA_TOOL_OPTIONS: options = "" } = variables();
    expect(options).toContain(`trustStore='${folder}/it'"'"'s a "data"/truststore.p12' -D`);
    expect(variables({ JAVA_TOOL_OPTIONS: options })["JAVA_TOOL_OPTIONS"]).toBe(options);
  });
});

test("has the address of an IPv6 proxy without brackets", () => {
  expect(variables({}, "http://[::1]:8025")["JAVA_TOOL_OPTIONS"]).toContain("-Dhttps.proxyHost=::1 ");
});
