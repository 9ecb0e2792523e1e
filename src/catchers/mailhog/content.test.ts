import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import { readStructure } from "../../mime/structure/read-structure.ts";
import { streamJson } from "../responses.ts";
import { contentOf, readHeaders, type Content, messageSegments } from "./mail.ts";

function read(raw: Uint8Array): Content {
  return contentOf(raw, readStructure(raw, defaultLimits).root);
}

function textOf({ body }: Content): string {
  return Buffer.from(body).toString("utf8");
}

async function toJson(raw: Uint8Array): Promise<unknown> {
  const message = {
    from: [],
    to: [],
    cc: [],
    bcc: [],
    metadata: { headers: [], ehlo: "app", mailFrom: "a@b.test", rcptTo: [] },
  };
  const id = "abcd1234-0000-0000-0000-000000000000" as never;
  const mail = { id, message, raw, content: read(raw), host: "restante.test" };
  const chunks: Uint8Array[] = [];
  for await (const chunk of streamJson(messageSegments(mail))) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
}

const multipart = [
  "Subject: first",
  "subject: other name",
  "Subject: second",
  " line",
  "no field",
  'Content-Type: multipart/mixed; boundary="b"',
  "",
  "preamble",
  "--b",
  "Content-Type: text/plain",
  "",
  "one",
  "--b",
  'Content-Type: multipart/alternative; boundary="c"',
  "",
  "--c",
  "",
  "inner",
  "--c--",
  "--b--",
  "epilogue",
].join("\r\n");

describe("content of a mail", () => {
  test("keeps names as written, the last of repeated fields, and folded lines", () => {
    const headers = readHeaders(read(Buffer.from(multipart)));
    expect(headers["Subject"]).toEqual(["second line"]);
    expect(headers["subject"]).toEqual(["other name"]);
    expect(Object.keys(headers)).toHaveLength(3);
  });

  test("numbers parts as MailHog does: with the texts before the first and after the last one", () => {
    const { parts } = read(Buffer.from(multipart));
    expect(parts?.map(textOf)).toEqual(["preamble", "one", expect.stringContaining("inner"), "--\r\nepilogue"]);
    expect(parts?.[2]?.parts?.map(textOf)).toEqual(["inner", "--"]);
    expect(read(Buffer.from("Subject: x\r\n\r\nbody")).parts).toBeNull();
  });

  test("writes JSON for any bytes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 2000 }),
          fc.string().map((text) => Buffer.from(multipart + text)),
        ),
        async (raw) => {
          expect(await toJson(raw)).toMatchObject({ Raw: { Data: Buffer.from(raw).toString("utf8") } });
        },
      ),
    );
  });

  test("cuts large texts between characters, also of bytes that are not UTF-8", async () => {
    const text = "Subject: x\r\n\r\n" + "€".repeat(200_000);
    expect(await toJson(Buffer.from(text))).toMatchObject({ Raw: { Data: text } });
    const broken = Buffer.alloc(300_000, 0x80);
    const { Raw } = (await toJson(broken)) as { readonly Raw: { readonly Data: string } };
    expect(new Set(Raw.Data)).toEqual(new Set(["\uFFFD"]));
  });
});
