/** Compares with Debian's SpamAssassin, if the machine has it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noService } from "../../src/core/outgoing-target.ts";
import { externalChecks } from "../../src/app/external-checks.ts";
import { configFrom } from "../../src/app/settings/config.ts";
import type { WireSpamAnalysis } from "../../src/http/wire/lint-schema.ts";
import {
  type HttpTestServer,
  openHttpTestServer,
  type TestServer,
} from "../../src/testing/http-test-server.test-aid.ts";
import { freePort } from "../../src/testing/free-port.test-aid.ts";

const program = "/usr/sbin/spamd";
const startMsMax = 30_000;

describe.runIf(existsSync(program))("SpamAssassin", () => {
  let spamd: ChildProcess;
  let home: string;
  let api: HttpTestServer;
  let server: TestServer;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "restante-spamd-"));
    const port = await freePort();
    // Local tests only, no rules of users, one child, no network queries.
    const flags = ["-L", "-x", "--listen", "127.0.0.1", "--port", String(port), "--max-children", "1", "-H", home];
    spamd = spawn(program, [...flags, "--syslog", "stderr"], {
      env: { ...process.env, HOME: home },
      stdio: ["ignore", "ignore", "pipe"],
    });
    await said(spamd, "server started");
    const { spamFilter } = externalChecks(configFrom({ spamd: { host: "127.0.0.1", port } }), noService);
    api = await openHttpTestServer({ context: { spamFilter } });
    server = await api.addServer();
  }, startMsMax + 5000);
  afterAll(async () => {
    spamd.kill("SIGTERM");
    await once(spamd, "exit");
    await api[Symbol.asyncDispose]();
    rmSync(home, { recursive: true });
  });

  const judge = async (raw: string): Promise<WireSpamAnalysis> =>
    (await api.ask(`GET /api/analysis/spam/${await api.deliver(server, { raw })}`)).json();
  const head =
    "From: a@b.example\r\nTo: c@d.example\r\nSubject: Hello\r\nDate: Thu, 01 Jan 2026 00:00:00 +0000\r\nMessage-ID: <1@b.example>\r\n";
  const gtube = "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X";

  test("reports its name and rules with descriptions for a valid message", async () => {
    const { engine, engineProblem, score, spamFilterResults } = await judge(`${head}\r\nHello there.\r\n`);
    expect([engine, engineProblem]).toEqual(["SpamAssassin", null]);
    expect(score).toBeLessThan(5);
    for (const { rule, description } of spamFilterResults.spamAssassin) {
      expect(rule).toMatch(/^[A-Z0-9_]+$/);
      expect(description).not.toBe("");
    }
  });

  test("recognises the same GTUBE test string as the built-in rules", async () => {
    const raw = `${head}\r\n${gtube}\r\n`;
    const theirs = await judge(raw);
    expect(theirs.score).toBeGreaterThan(900);
    expect(theirs.spamFilterResults.spamAssassin[0]?.rule).toBe("GTUBE");
    await using own = await openHttpTestServer();
    const id = await own.deliver(await own.addServer(), { raw });
    const ours = (await own.ask(`GET /api/analysis/spam/${id}`)).json<WireSpamAnalysis>();
    expect(ours.spamFilterResults.spamAssassin[0]?.rule).toBe("GTUBE");
  });

  test("reports missing fields as the built-in rules do", async () => {
    const names = (await judge("Subject: Hello\r\n\r\nHello there.\r\n")).spamFilterResults.spamAssassin.map(
      ({ rule }) => rule,
    );
    expect(names).toEqual(expect.arrayContaining(["MISSING_DATE", "MISSING_FROM", "MISSING_MID"]));
  });
});

/** Resolves when the program writes the words to its standard error; rejects if it exits before. */
function said(program: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    program.stderr?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes(words)) resolve();
    });
    program.once("exit", () => {
      reject(new Error(`spamd does not start: ${text}`));
    });
  });
}
