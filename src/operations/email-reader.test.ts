import { describe, expect, test } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { createEmailReading, unreadable } from "./email-reader.ts";
import { readEmail } from "./read-email.ts";

const small = Buffer.from("From: a@b.example\r\nSubject: Small\r\n\r\nYour code is 804 219\r\n");
const attachment = Buffer.alloc(400_000, "restante");
const big = Buffer.from(
  [
    "From: a@b.example",
    "Subject: Big",
    "Content-Type: multipart/mixed; boundary=b",
    "",
    "--b",
    "Content-Type: text/html",
    "",
    "<p>Your code is <b>118-402</b></p>",
    "--b",
    'Content-Disposition: attachment; filename="x.bin"',
    "Content-Transfer-Encoding: base64",
    "",
    attachment.toString("base64"),
    "--b--",
    "",
  ].join("\r\n"),
);

describe("reading mail", () => {
  test("is the same for small and big mail, wherever it is done", async () => {
    const reading = createEmailReading(defaultLimits, new FakeClock());
    expect(await reading.read(small)).toEqual(readEmail(small, defaultLimits));
    const content = await reading.read(big);
    expect(content).toEqual(readEmail(big, defaultLimits));
    expect(content.attachments[0]?.length).toBe(attachment.length);
    await reading.close();
  });

  test("leaves the caller's bytes alone", async () => {
    const reading = createEmailReading(defaultLimits, new FakeClock());
    const copy = Buffer.from(big);
    await reading.read(copy);
    expect(copy.equals(big)).toBe(true);
    await reading.close();
  });

  test("answers several big mails each with its own", async () => {
    const reading = createEmailReading(defaultLimits, new FakeClock());
    const mails = Array.from({ length: 5 }, (_, number) =>
      Buffer.from(big.toString("latin1").replace("Subject: Big", `Subject: Big ${String(number)}`), "latin1"),
    );
    const contents = await Promise.all(mails.map(async (mail) => reading.read(mail)));
    expect(contents.map(({ subject }) => subject)).toEqual(mails.map((_, number) => `Big ${String(number)}`));
    await reading.close();
  });

  test("gives up after half a minute, and reads the next one all the same", async () => {
    const clock = new FakeClock();
    const reading = createEmailReading(defaultLimits, clock);
    const stuck = reading.read(big);
    clock.advance(30_000);
    expect(await stuck).toEqual(unreadable);
    expect((await reading.read(big)).subject).toBe("Big");
    await reading.close();
  });

  test("describes what is still being read at the end as unreadable", async () => {
    const reading = createEmailReading(defaultLimits, new FakeClock());
    const pending = reading.read(big);
    await reading.close();
    expect(await pending).toEqual(unreadable);
  });
});
