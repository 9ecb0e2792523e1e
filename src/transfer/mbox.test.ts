import { expect, test } from "vitest";
import { readMbox, type BoxedMail } from "./mbox.ts";

async function read(
  text: string,
  chunkBytes = 7,
): Promise<{ readonly mails: readonly BoxedMail[]; readonly doubtful: readonly number[] }> {
  const bytes = Buffer.from(text, "latin1");
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    await Promise.resolve();
  };
  const doubtful: number[] = [];
  return { mails: await Array.fromAsync(readMbox(chunks(), 100_000, (line) => doubtful.push(line))), doubtful };
}

const instant = Date.UTC(2026, 10, 27, 10, 0, 1);

/** Separators with what they say: sender and instant. */
const forms: readonly (readonly [separator: string, mailFrom: string | null, receivedAt: number | null])[] = [
  ["From ", null, null],
  ["From", null, null],
  ["From \r", null, null],
  ["From -", null, null],
  ["From ann@x.test", "ann@x.test", null],
  ["From MAILER-DAEMON", "", null],
  ["From ann@x.test Vendredi 27 novembre 2026", "ann@x.test", null],
  ["From - Fri Nov 27 10:00:01 2026", null, instant],
  ["From ann@x.test Fri Nov 27 10:00:01 2026", "ann@x.test", instant],
  ["From ann@x.test Fri Nov 27 10:00:01 UTC 2026", "ann@x.test", instant],
  ["From ann@x.test Nov 27 10:00:01 2026", "ann@x.test", instant],
  ["From ann@x.test Fri Nov 27 12:00:01 2026 +0200", "ann@x.test", instant],
  ["From ann@x.test Fri, 27 Nov 2026 12:00:01 +0200", "ann@x.test", instant],
  ["From ann@x.test 27 Nov 2026 10:00:01 GMT", "ann@x.test", instant],
  ["From ann@x.test 27-Nov-2026 10:00:01 +0000", "ann@x.test", instant],
  ["From ann@x.test 2026-11-27T10:00:01Z", "ann@x.test", instant],
  ["From ann@x.test 2026-11-27 10:00:01.250", "ann@x.test", instant],
  ["From ann@x.test 2026-11-27T12:00:01+02:00\r", "ann@x.test", instant],
  ["From 2026-11-27T10:00:01Z", null, instant],
];

test.each(forms)("recognises %j at the beginning and between mails", async (separator, mailFrom, receivedAt) => {
  const mail = (name: string): string => `${separator}\nSubject: ${name}\n\nbody ${name}\n\n`;
  const { mails, doubtful } = await read(mail("a") + mail("b") + mail("c"));
  expect(mails.map(({ raw }) => raw.toString())).toEqual(
    ["a", "b", "c"].map((name) => `Subject: ${name}\r\n\r\nbody ${name}\r\n`),
  );
  expect(mails[0]).toMatchObject({ mailFrom, receivedAt });
  expect(doubtful).toEqual([]);
});

test("recognises a separator with a time after a line that is not empty, in front of a header field only", async () => {
  const [first, second] = ["From a@x.test Fri Nov 27 10:00:01 2026", "From b@x.test Fri Nov 27 10:00:02 2026"];
  const box = `${first}\nSubject: a\n\n${second}\nno field\n${second}\nSubject: b\n\nbody\n`;
  const { mails } = await read(box.replace("\n\nFrom b", "\n\nx\nFrom b"));
  expect(mails.map(({ mailFrom }) => mailFrom)).toEqual(["a@x.test", "b@x.test"]);
  expect(mails[0]?.raw.toString()).toContain(`x\r\n${second}\r\nno field\r\n`);
});

test("takes text that begins with From as content, and counts lines that resemble a separator", async () => {
  const lines = ["From now on", "From ", "From ann@x.test", "From Fr. 27. Nov. 10:00 Uhr"];
  const body = lines.map((line) => `\n${line}\ntext without a colon in front\n`).join("");
  const { mails, doubtful } = await read(`From - Fri Nov 27 10:00:01 2026\nSubject: a\n${body}`);
  expect(mails).toHaveLength(1);
  for (const line of lines) expect(mails[0]?.raw.toString()).toContain(`\r\n${line}\r\n`);
  expect(doubtful).toEqual([13]);
});
