/** Sessions over sockets with random input, and with a store that fails. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ByteBudget } from "../../core/byte-budget.ts";
import { Problem } from "../../core/errors.ts";
import { imapCommandLimits, imapLineBytesMax } from "../../core/arrival-rate.ts";
import { LineClient } from "../../testing/line-client.test-aid.ts";
import type { OpenListener } from "../lines/session-listener.ts";
import { fakeMail, startFakeImap } from "./fake-imap.test-aid.ts";

let listener: OpenListener;
let refusals: string[];
let errors: unknown[];
let isBroken: boolean;
let budget: ByteBudget;

beforeEach(async () => {
  [refusals, errors, isBroken] = [[], [], false];
  budget = new ByteBudget(1024 * 1024);
  const onRead = (): void => {
    if (isBroken) throw new Problem("unavailable");
  };
  listener = await startFakeImap({ messageCount: 5, onRead }, budget, {
    log: { debug: () => undefined, error: (fields) => errors.push(fields["err"]) },
    metrics: {
      sessionOpened: () => undefined,
      sessionClosed: () => undefined,
      refused: (reason) => refusals.push(reason),
    },
  });
});
afterEach(async () => {
  await listener.close();
  if (errors.length > 0) throw new AggregateError(errors);
});

async function open(): Promise<LineClient> {
  const client = await LineClient.open(listener.port);
  await client.line();
  return client;
}

/** Sends input and the end of the client's side; returns everything that is answered. */
async function talk(input: string): Promise<string> {
  await using client = await open();
  client.send(input);
  client.end();
  const lines: string[] = [];
  for (let line = await client.line(); line !== null; line = await client.line()) lines.push(line);
  return lines.join("\n");
}

const signedIn = "a LOGIN abcd1234 right\r\nb SELECT INBOX\r\n";
const word = fc.constantFrom(
  "FETCH",
  "STORE",
  "SEARCH",
  "UID",
  "COPY",
  "MOVE",
  "APPEND",
  "LIST",
  "STATUS",
  "SELECT",
  "LOGIN",
  "ENABLE",
  "IDLE",
  "DONE",
  "EXPUNGE",
  "NOOP",
  "ID",
  "1:*",
  "1,2",
  "*",
  "$",
  "4294967295",
  "0",
  "INBOX",
  "Sent",
  "(",
  ")",
  '"',
  '"a b"',
  "NIL",
  "BODY[]",
  "BODY.PEEK[1.MIME]<0.5>",
  "BODY[HEADER.FIELDS (A)]",
  "ENVELOPE",
  "BINARY[1]<1.2>",
  "BINARY.SIZE[]",
  "FLAGS",
  "(FLAGS UID)",
  "+FLAGS",
  "(\\Seen x)",
  "ALL",
  "NOT",
  "OR",
  "TEXT",
  "HEADER",
  "RETURN",
  "(MIN SAVE)",
  "CHARSET",
  "UTF-8",
  "{3}\r\n",
  "{3+}\r\nabc",
  "{0+}\r\n",
  "{999999999999+}",
  "{99999}\r\n",
  "AUTHENTICATE",
  "PLAIN",
  "=",
  "\r\n",
  "\n",
  "x",
  "%",
  "\u00ff",
  "~{2+}\r\nab",
);

describe("an IMAP session", () => {
  test("answers or refuses any words, without an internal error", async () => {
    const line = fc.array(word, { maxLength: 8 }).map((words) => `t ${words.join(" ")}\r\n`);
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(line, { maxLength: 8 }), async (isSignedIn, lines) => {
        expect(await talk(`${isSignedIn ? signedIn : ""}${lines.join("")}`)).toBeDefined();
      }),
      { numRuns: 60 },
    );
    expect(refusals).not.toContain("internal");
    expect(budget.bytesUsed).toBe(0);
  });

  test("answers or refuses any bytes, without an internal error", async () => {
    const bytes = fc.uint8Array({ maxLength: 400 }).map((some) => Buffer.from(some).toString("latin1"));
    await fc.assert(
      fc.asyncProperty(bytes, async (some) => {
        expect(await talk(signedIn + some)).toContain("b OK");
      }),
      { numRuns: 40 },
    );
    expect(refusals).not.toContain("internal");
  });

  test("returns the memory of a literal when the client leaves before its end", async () => {
    await talk(`${signedIn}c APPEND INBOX {100000+}\r\nonly some of it`);
    expect(budget.bytesUsed).toBe(0);
  });

  test("refuses a mail while too many others are in memory, and reads over it", async () => {
    budget.take(1024 * 1024);
    const answer = await talk(`${signedIn}c APPEND INBOX {3+}\r\nabc\r\nd NOOP\r\n`);
    expect(answer).toMatch(/^c NO \[UNAVAILABLE\]/m);
    expect(answer).toMatch(/^d OK/m);
  });

  test("refuses sets with too many ranges, and numbers that do not exist", async () => {
    const set = Array.from({ length: 1001 }, () => "1").join(",");
    const answer = await talk(`${signedIn}c FETCH ${set} FLAGS\r\nd FETCH 6 FLAGS\r\ne UID FETCH 1:4294967295 UID\r\n`);
    expect(answer).toMatch(/^c BAD/m);
    expect(answer).toMatch(/^d BAD/m);
    expect(answer).toMatch(/^\* 5 FETCH \(UID 5\)\ne OK/m);
  });

  test("answers NO while the store is unavailable, and goes on", async () => {
    await using client = await open();
    client.send(signedIn);
    let line: string | null = "";
    while (line !== null && !line.startsWith("b ")) line = await client.line();
    isBroken = true;
    expect(await client.ask("c FETCH 1 FLAGS")).toMatch(/^c NO \[UNAVAILABLE\]/);
    isBroken = false;
    expect(await client.ask("d FETCH 1 FLAGS")).toBe(String.raw`* 1 FETCH (FLAGS (\Recent))`);
  });

  test("writes literals of the announced size", async () => {
    const answer = await talk(
      `${signedIn}c FETCH 1 (BODY[] BODY[TEXT]<2.9> BODY[9] BODY[HEADER.FIELDS (SUBJECT)])\r\n`,
    );
    const text = fakeMail.toString().replaceAll("\r\n", "\n");
    expect(answer).toContain(`BODY[] {${fakeMail.length}}\n${text} BODY[TEXT]<2> {4}\nxt\n BODY[9] NIL`);
    expect(answer).toContain("BODY[HEADER.FIELDS (SUBJECT)] {14}\nSubject: s\n\n)");
  });

  test("signs nobody in with a wrong password", async () => {
    expect(await talk("a LOGIN abcd1234 wrong\r\nb SELECT INBOX\r\n")).toMatch(/^a NO .*\nb BAD/s);
    expect(refusals).toEqual(["authentication"]);
  });

  test("answers an overlong line with its tag, and reads an ID of the greatest legal size", async () => {
    const { anonymous } = imapCommandLimits;
    const fields = Array.from({ length: 30 }, (_, at) => `"${String(at).padEnd(30, "x")}" "${"v".repeat(1024)}"`);
    const answer = await talk(
      `a ID (${fields.join(" ")})\r\nb NOOP ${"x".repeat(imapLineBytesMax)}\r\nc NOOP\r\n${"x".repeat(imapLineBytesMax)}\r\n`,
    );
    expect(answer).toMatch(/^a OK .*\nb BAD A line exceeds 40960 bytes\nc OK .*\n\* BAD A line exceeds 40960 bytes$/m);
    const line = `x${" ".repeat(imapLineBytesMax - 100)}`;
    expect(await talk(`a LOGIN ${line}{1+}\r\n${line}{1+}\r\nx y\r\nb NOOP\r\n`)).toMatch(
      new RegExp(`^a BAD \\[TOOBIG\\] A command exceeds ${anonymous.commandBytesMax} bytes\nb OK`, "m"),
    );
  });

  test("refuses literals over the bounds before and after authentication, and reads over them", async () => {
    const { anonymous, authenticated } = imapCommandLimits;
    const literal = (bytes: number): string => `{${bytes}+}\r\n${"x".repeat(bytes)}`;
    const over = (bytes: number): RegExp => new RegExp(`^c BAD \\[TOOBIG\\] .* exceed ${bytes} bytes\nd OK`, "m");
    const command = (bytes: number): string => `c LOGIN ${literal(bytes)} y\r\nd NOOP\r\n`;
    expect(await talk(command(anonymous.literalBytesMax))).toMatch(/^c NO \[AUTHENTICATIONFAILED\]/m);
    expect(await talk(command(anonymous.literalBytesMax + 1))).toMatch(over(anonymous.literalBytesMax));
    expect(await talk(signedIn + command(authenticated.literalBytesMax))).toMatch(/^c BAD .* not valid/m);
    expect(await talk(signedIn + command(authenticated.literalBytesMax + 1))).toMatch(
      over(authenticated.literalBytesMax),
    );
    expect(await talk(`c LOGIN${" {1+}\r\nx".repeat(120)}\r\nd NOOP\r\n`)).toMatch(
      /^c BAD .* too many literals\nd OK/m,
    );
  });

  test("closes a session whose commands are over the bounds one after the other", async () => {
    const reply = await talk(`c LOGIN ${"{1}\r\na".repeat(50_000)}\r\nd NOOP\r\n`);
    expect(reply).toContain("* BYE Too many errors");
    expect(reply.match(/^\+ /gm)?.length).toBeLessThan(20 * 101);
    expect(refusals).toContain("too_many_errors");
  });
});
