/** Dates of mails at every door: whatever a Date field contains, no door writes a date that its readers cannot parse. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routeTable } from "../../src/http/route-table.ts";
import { catcherTable } from "../../src/catchers/catcher-routes.ts";
import { LineClient } from "../../src/testing/line-client.test-aid.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import { runLocally } from "./local-command.ts";

const key = "key-of-the-whole-account-1";
const server = "abcd1234";
const dataDir = mkdtempSync(join(tmpdir(), "restante-dates-"));
const environment = { RESTANTE_API_KEY: key, RESTANTE_DATA_DIR: dataDir, RESTANTE_SERVERS: `${server}:Shop` };
const catcherNames = Object.keys(catcherTable) as readonly (keyof typeof catcherTable)[];
let service: LocalService;

/** Date fields, and the instant that they mean; null where it is the instant of receipt. */
const fields: readonly (readonly [field: string, instant: string | null])[] = [
  ["Fri, 27 Nov 2026 10:00:00 +02:00", "2026-11-27T08:00:00Z"],
  ["Fri, 27 Nov 2026 10:00:00 GMT+0200", "2026-11-27T08:00:00Z"],
  ["Fri, 27 Nov 2026 10:00:00 -0330", "2026-11-27T13:30:00Z"],
  ["2026-11-27T10:00:00+02:00", "2026-11-27T08:00:00Z"],
  ["Fri Nov 27 10:00:00 2026", "2026-11-27T10:00:00Z"],
  ["Fri, 27 Nov 2026 10:00:00 +9999", null],
  ["Fri, 27 Nov 2026 10:00:00 -2400", null],
  ["Fri, 31 Dec 9999 23:59:59 -2359", null],
  ["Mon, 1 Jan 0001 00:00:00 +2359", null],
  ["Fri, 27 Nov 0026 10:00:00 +0000", null],
  ["Fri, 32 Nov 2026 10:00:00 +0000", null],
  ["+275760-09-13T00:00:00Z", null],
  ["Fri, 27 Nov 2026 25:61:61 +0000", null],
  ["never", null],
  ["", null],
];

beforeAll(async () => {
  service = await LocalService.start(["--imap-port=0", ...catcherNames.map((name) => `--${name}-port=0`)], environment);
  await using dialogue = await service.greet();
  await dialogue.play(["EHLO test", "250"]);
  for (const [index, [field]] of fields.entries()) {
    await dialogue.play(
      ["MAIL FROM:<app@example.com>", "250"],
      [`RCPT TO:<a@${server}.restante.test>`, "250"],
      ["DATA", "354"],
      [`Received: from x by y; ${field}\r\nDate: ${field}\r\nSubject: ${index}\r\n\r\nHello\r\n.\r\n`, "250"],
    );
  }
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true });
});

const internetDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const isValid = (text: string): boolean => internetDate.test(text) && !Number.isNaN(Date.parse(text));

/** Texts that a client takes for dates by the name of their member, except those of header fields as written. */
function* datesIn(value: unknown, name = ""): Generator<string> {
  if (typeof value === "string" && /date|time|received$|created|accepted|updated/i.test(name)) yield value;
  if (typeof value !== "object" || value === null || /headers?$|^raw$/i.test(name)) return;
  for (const [member, inner] of Object.entries(value)) yield* datesIn(inner, Array.isArray(value) ? name : member);
}

interface Answer {
  readonly dates: readonly string[];
  readonly body: unknown;
}

async function ask(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  const body: unknown = isJson ? JSON.parse(text) : text;
  return { dates: response.ok ? [...datesIn(body)] : [], body };
}

/** Returns the URLs of the GET routes of messages, one for each message where the path has an id. */
function urlsOf(
  base: string,
  routes: readonly { readonly method: string; readonly path: string }[],
  ids: readonly string[],
) {
  const isOfMessages = (path: string): boolean =>
    /messages?\b|emails?\b|search/.test(path) && !path.endsWith("/headers");
  const paths = routes.filter(({ method, path }) => method === "GET" && isOfMessages(path));
  return paths.flatMap(({ path }) => {
    const [parameter, ...others] = path.match(/:\w+|\*/g) ?? [];
    if (others.length > 0) return [];
    const filled = parameter === undefined ? [path] : ids.map((id) => path.replace(parameter, id));
    return filled.map((one) => `${base}${one}?server=${server}&query=subject&kind=containing`);
  });
}

/** Returns the URL of the listener of a mail catcher, whose name the start message writes with capitals. */
function shownBy(name: string): string {
  return new RegExp(`^  ${name} +(\\S+)`, "im").exec(service.message)?.[1] ?? "";
}

async function messageIds(): Promise<readonly string[]> {
  const listed = (await (await service.fetch(`/api/messages?server=${server}`, key)).json()) as { id: string }[];
  return listed.map(({ id }) => id);
}

async function expectValidDates(urls: readonly string[], headers?: Record<string, string>): Promise<void> {
  const invalid: string[] = [];
  let count = 0;
  for (const url of urls) {
    const { dates } = await ask(url, headers);
    count += dates.length;
    invalid.push(...dates.filter((date) => !isValid(date)).map((date) => `${url}: ${date}`));
  }
  expect(invalid).toEqual([]);
  expect(count).toBeGreaterThanOrEqual(fields.length);
}

test("the API of the service writes valid dates", async () => {
  await expectValidDates(urlsOf(service.url, routeTable, await messageIds()), { authorization: `Bearer ${key}` });
});

describe("APIs of other mail catchers", () => {
  test.each(catcherNames)("write valid dates: %s", async (name) => {
    const catcher = await catcherTable[name]();
    const base = new URL(shownBy(name)).origin;
    await expectValidDates(urlsOf(base, catcher.routes, await messageIds()));
  });

  test("show the instant and the zone of the Date field, else the instant of receipt", async () => {
    const shown = new Map<string, string>();
    const offsets = new Map<string, string>();
    for (const id of await messageIds()) {
      const mail = (await ask(`${new URL(shownBy("mailpit")).origin}/api/v1/message/${id}`)).body;
      const { Subject, Date: date } = mail as { readonly Subject: string; readonly Date: string };
      shown.set(Subject, new Date(date).toISOString().replace(".000Z", "Z"));
      offsets.set(Subject, date.slice(-6));
    }
    const wrong = fields.filter(([, instant], index) => instant !== null && shown.get(`${index}`) !== instant);
    expect(wrong).toEqual([]);
    expect(["0", "1", "2"].map((subject) => offsets.get(subject))).toEqual(["+02:00", "+02:00", "-03:30"]);
  });
});

test("IMAP writes a valid INTERNALDATE, and the Date field as written in ENVELOPE", async () => {
  const { value } = (await (await service.fetch(`/api/servers/${server}/password`, key)).json()) as { value: string };
  await using client = await LineClient.open(Number(service.shown("IMAP").split(":").at(-1)));
  await client.line();
  client.send(`a LOGIN ${server} ${value}\r\nb EXAMINE INBOX\r\nc FETCH 1:* (INTERNALDATE ENVELOPE)\r\n`);
  const lines: string[] = [];
  while (lines.at(-1)?.startsWith("c ") !== true) lines.push((await client.line()) ?? "c closed");
  const dates = lines.flatMap((line) => /INTERNALDATE "([^"]*)"/.exec(line)?.[1] ?? []);
  expect(dates.length).toBe(fields.length);
  expect(dates.filter((date) => !/^[ \d]\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d [+-]\d{4}$/.test(date))).toEqual([]);
  expect(lines.join("\n")).toContain('ENVELOPE ("Fri, 27 Nov 2026 10:00:00 +9999"');
});

test("an mbox has valid times in its separators", async () => {
  const file = join(dataDir, "all.mbox");
  const ending = await runLocally(["export", file, "--format=mbox", `--server=${server}`, "--quiet"], { environment });
  expect(ending.code).toBe(0);
  const separators = readFileSync(file, "latin1").match(/^From .*$/gm) ?? [];
  expect(separators.length).toBe(fields.length);
  const form = /^From \S+ [A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;
  expect(separators.filter((line) => !form.test(line))).toEqual([]);
});
