import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../../core/limits.ts";
import { createBackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { WatchedClock } from "../../../testing/watched-clock.ts";
import { createEmailReading, unreadable, type EmailReading } from "./email-reader.ts";
import { readEmail, readEmailWhole } from "./read-email.ts";
import { cheapCodeCandidateMax, cheapLimits } from "./reading-cost.ts";

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

const tasks = createBackgroundTasks(new FakeClock(), () => undefined);

function openReading(clock: Clock = new FakeClock()): EmailReading {
  return createEmailReading({ limits: defaultLimits, clock, tasks });
}

const numbered = (number: number): Buffer =>
  Buffer.from(big.toString("latin1").replace("Subject: Big", `Subject: Big ${String(number)}`), "latin1");

describe("reading mail", () => {
  test("returns the same result for small and large mail on either thread", async () => {
    const reading = openReading();
    expect(await reading.read(small)).toEqual(readEmail(small, defaultLimits));
    const content = await reading.read(big);
    expect(content).toEqual(readEmailWhole(big, defaultLimits));
    expect(content.attachments[0]?.length).toBe(attachment.length);
    await reading.close();
  });

  test("reads a mail with many numbers, whose codes would take long, in a worker process", async () => {
    const reading = openReading();
    const numbered = (count: number): Buffer =>
      Buffer.from(`Subject: Many\r\n\r\nYour code is 804219\r\n${"Number 48291375 x\r\n".repeat(count)}`);
    const few = await reading.read(numbered(cheapCodeCandidateMax - 1));
    expect([few.codes, few.bodies]).toEqual([["804219"], null]);
    const many = await reading.read(numbered(cheapCodeCandidateMax));
    expect(many).toEqual(readEmailWhole(numbered(cheapCodeCandidateMax), defaultLimits));
    expect(many.codes).toEqual(["804219"]);
    await reading.close();
  });

  test("reads a mail with many parts in a worker process", async () => {
    const reading = openReading();
    const withParts = (count: number): Buffer =>
      Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\nx\r\n".repeat(count)}--b--\r\n`);
    // The mail itself counts as a part.
    const few = withParts(cheapLimits.partCountMax - 1);
    expect(await reading.read(few)).toEqual(readEmail(few, defaultLimits));
    const many = withParts(cheapLimits.partCountMax);
    expect(await reading.read(many)).toEqual(readEmailWhole(many, defaultLimits));
    await reading.close();
  });

  test("does not change the caller's bytes", async () => {
    const reading = openReading();
    const copy = Buffer.from(big);
    await reading.read(copy);
    expect(copy.equals(big)).toBe(true);
    await reading.close();
  });

  test("returns the content of each of several large mails", async () => {
    const reading = openReading();
    const numbers = [0, 1, 2, 3, 4];
    const contents = await Promise.all(numbers.map(async (number) => reading.read(numbered(number))));
    expect(contents.map(({ subject }) => subject)).toEqual(numbers.map((number) => `Big ${String(number)}`));
    await reading.close();
  });

  test("gives up only the mail that takes longer than 30 s and parses the following ones", async () => {
    const clock = new WatchedClock(30_000);
    const reading = openReading(clock);
    const stuck = reading.read(big, "one");
    const innocent = [1, 2, 3].map(async (number) => reading.read(numbered(number), "other"));
    await clock.asked;
    clock.advance(30_000);
    expect(await stuck).toEqual(unreadable);
    expect((await Promise.all(innocent)).map(({ subject }) => subject)).toEqual(["Big 1", "Big 2", "Big 3"]);
    const failure = tasks.states().find(({ task }) => task === "mail_reader")?.lastFailure;
    expect(failure?.reason).toBe("the call took longer than 30000 ms");
    await reading.close();
  });

  test("parses a mail again in another process", async () => {
    const reading = openReading();
    expect((await reading.reparse(big)).subject).toBe("Big");
    await reading.close();
  });

  test("rejects pending mails when it is closed, so that senders retry", async () => {
    const reading = openReading();
    const pending = Promise.resolve(reading.read(big));
    const outcome = pending.catch((error: unknown) => error);
    await reading.close();
    expect(await outcome).toMatchObject({ code: "unavailable" });
  });
});
