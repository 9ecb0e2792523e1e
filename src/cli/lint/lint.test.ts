import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LintReport } from "../../core/lint.ts";
import { chromiumPath } from "../../testing/chromium-path.test-aid.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { exitCodes } from "../command.ts";
import { run } from "../run.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-lint-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const head =
  "From: a@b.example\r\nTo: c@d.example\r\nSubject: Hi\r\nDate: Fri, 20 Nov 2026 10:42:07 +0000\r\nMessage-ID: <1@b.example>\r\n";
const good = `${head}\r\nHello there.\r\n`;
const bad = `${head}Content-Type: text/html\r\n\r\n<html><p>A & B</p><img src="x.png?a=1&b=\u0001]]>">`;

interface Result {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

const lint = async (mail: string, ...flags: readonly string[]): Promise<Result> => {
  const file = join(folder, "mail.eml");
  writeFileSync(file, mail);
  return lintAt(file, ...flags);
};

const lintAt = async (file: string, ...flags: readonly string[]): Promise<Result> => {
  let [out, error] = ["", ""];
  const code = await run(["lint", file, ...flags], {
    environment: {},
    out: (text) => void (out += text),
    error: (text) => void (error += text),
    clock: new FakeClock(),
  });
  return { code, out: out.replaceAll(file, "mail.eml"), error };
};

describe("restante lint", () => {
  test("rejects a file that is larger than a mail may be, and one without an end", async () => {
    const large = join(folder, "large.eml");
    writeFileSync(large, good);
    truncateSync(large, 51 * 1024 * 1024);
    expect(await lintAt(large)).toMatchObject({
      code: exitCodes.usage,
      error: expect.stringMatching(/large\.eml is larger than a mail may be: \d+ bytes/) as unknown,
    });
    const endless = await lintAt("/dev/zero");
    expect(endless.error).toContain("/dev/zero is larger than a mail may be");
  });

  test("prints one finding per line and fails on errors", async () => {
    const { code, out } = await lint(bad);
    expect(code).toBe(1);
    expect(out).toContain('mail.eml: error: An image has no alt text: <img src="x.png?a=1&b=?]]>"> [image-alt]\n');
    expect(out).toMatch(/\nmail\.eml: \d+ errors \([a-z, -]+\), \d+ warnings?, \d+ notes?\n$/);
  });

  test.each([
    [good, [], 0],
    [good, ["--fail-on=warning"], 0],
    [good, ["--fail-on=info"], 1],
    [bad, ["--fail-on=never"], 0],
    [`${head.replace("Hi", "H".repeat(79))}\r\nhello\r\n`, [], 0],
    [`${head.replace("Hi", "H".repeat(79))}\r\nhello\r\n`, ["--fail-on", "warning"], 1],
  ])("returns an exit code according to --fail-on: %#", async (mail, flags, code) => {
    expect((await lint(mail, ...flags)).code).toBe(code);
  });

  test("prints the report of the API and the file name as JSON", async () => {
    const report = JSON.parse((await lint(bad, "--format", "json")).out) as LintReport & { file: string };
    expect(report.file).toBe("mail.eml");
    expect(report.findings.map(({ rule }) => rule)).toContain("image-alt");
    expect(report.counts.error).toBeGreaterThan(0);
  });

  test("runs axe-core in a browser, and reports when there is none", async () => {
    const path = await chromiumPath();
    const judged = JSON.parse((await lint(bad, "--format=json", `--browser=${path}`)).out) as LintReport;
    expect(judged.accessibility.engine).toMatch(/^axe-core /);
    expect(judged.findings.map(({ rule }) => rule)).toContain("axe-image-alt");
    const missing = await lint(bad, "--format=json", "--browser=/no/such/program");
    expect(missing.error).toBe("axe-core did not run: RESTANTE_CHROMIUM (or --browser) is not an executable file\n");
    expect((JSON.parse(missing.out) as LintReport).accessibility.engine).toBe("restante");
    expect((await lint(bad, "--browser=chromium")).code).toBe(2);
    expect((JSON.parse((await lint(bad, "--format=json")).out) as LintReport).accessibility.engine).toBe("restante");
  });

  test("prints JUnit XML with a test case per rule, which errors and warnings fail", async () => {
    const { out } = await lint(bad, "--format", "junit");
    expect(out).toContain(
      '<testcase classname="lint" name="image-alt"><failure type="error" message="An image has no alt text">',
    );
    expect(out).toContain("&lt;img src=&quot;x.png?a=1&amp;b=?]]&gt;&quot;&gt;");
    expect(out).toMatch(/name="list-unsubscribe"><system-out>There is no List-Unsubscribe field<\/system-out>/);
    const [, tests, failures] = /tests="(\d+)" failures="(\d+)"/.exec(out) ?? [];
    expect(Number(tests)).toBe(out.match(/<testcase /g)?.length);
    expect(Number(failures)).toBe(out.match(/<testcase [^>]*><failure/g)?.length);
    expect(out.includes("\u0001")).toBe(false);
  });

  test("prints SARIF for code scanning", async () => {
    const log = JSON.parse((await lint(bad, "--format=sarif")).out) as SarifLog;
    expect(log.version).toBe("2.1.0");
    const [first] = log.runs;
    const rules = first?.tool.driver.rules.map(({ id }) => id);
    expect(new Set(rules).size).toBe(rules?.length);
    for (const { ruleId, level, message, locations } of first?.results ?? []) {
      expect(rules).toContain(ruleId);
      expect(["error", "warning", "note"]).toContain(level);
      expect(message.text).not.toBe("");
      expect(locations[0]?.physicalLocation.artifactLocation.uri).toBe("mail.eml");
    }
  });

  test.each([
    ["--format=xml", "--format takes one of text, json, junit, sarif"],
    ["--fail-on=fatal", "--fail-on takes one of error, warning, info, never"],
    ["--links=all", "--links takes one of syntax, live"],
  ])("rejects %s", async (flag, message) => {
    const { code, error } = await lint(good, flag);
    expect([code, error]).toEqual([2, `restante: ${message}\n`]);
  });

  test("judges a profile, whose verdict decides the exit code unless a severity is given", async () => {
    const failing = await lint(good, "--profile=bulk-sender");
    expect(failing.code).toBe(1);
    expect(failing.out).toContain("mail.eml: bulk-sender: dkim: fail: The mail has no DKIM signature\n");
    expect(failing.out).toContain("mail.eml: bulk-sender: verdict: fail\n");
    const news = `DKIM-Signature: v=1; d=b.example; h=list-unsubscribe:list-unsubscribe-post\r\nList-Unsubscribe: <https://a.example/u>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n${head}\r\nUnsubscribe: https://a.example/u {{name}}\r\n`;
    const passing = await lint(news, "--profile=bulk-sender", "--format=json");
    const { profile, counts } = JSON.parse(passing.out) as LintReport;
    expect([profile?.requirements.filter(({ result }) => result === "fail"), profile?.verdict]).toEqual([[], "pass"]);
    expect([passing.code, counts.error > 0]).toEqual([0, true]);
    expect((await lint(news, "--profile=bulk-sender", "--fail-on=error")).code).toBe(1);
    const junit = (await lint(good, "--profile=bulk-sender", "--format=junit")).out;
    expect(junit).toContain('<testcase classname="bulk-sender" name="dkim"><failure type="error"');
    expect(junit).toContain('<testcase classname="bulk-sender" name="dns"><skipped message="');
    expect((await lint(good, "--profile=other")).error).toBe("restante: --profile takes one of bulk-sender\n");
  });

  test("reports a missing file in one sentence", async () => {
    let error = "";
    const terminal = {
      environment: {},
      out: () => undefined,
      error: (text: string) => void (error += text),
      clock: new FakeClock(),
    };
    expect(await run(["lint", join(folder, "absent.eml")], terminal)).toBe(2);
    expect(error).toBe(`restante: ${join(folder, "absent.eml")}: no such file or folder\n`);
    error = "";
    expect(await run(["lint", folder], terminal)).toBe(2);
    expect(error).toBe("restante: The file cannot be read: it is a folder, not a file\n");
  });
});

interface SarifLog {
  readonly version: string;
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly {
      readonly ruleId: string;
      readonly level: string;
      readonly message: { readonly text: string };
      readonly locations: readonly {
        readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } };
      }[];
    }[];
  }[];
}
