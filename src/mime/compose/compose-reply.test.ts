import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import { joinTexts } from "../body-content.ts";
import { type Mail, parseMail } from "../parse-mail.ts";
import {
  composeForward,
  composeReply,
  forwardSubject,
  type Reply,
  replyRecipients,
  replyReferences,
  replySubject,
} from "./compose-reply.ts";
import type { Original } from "./original.ts";

const contact = (email: string, name = ""): { name: string; email: string; phone: null } => ({
  name,
  email,
  phone: null,
});
const original: Original = {
  subject: "Invoice 7",
  from: [contact("shop@corp.example", "The Shop")],
  to: [contact("me@abcd1234.restante.test")],
  cc: [],
  replyTo: [],
  messageId: "<m1@corp.example>",
  inReplyTo: [],
  references: [],
  date: Date.UTC(2026, 10, 20, 9, 0, 0),
  text: "first\r\n> second\r\n\r\n",
  html: null,
  attachments: [],
};
const answer: Reply = {
  messageId: "<r1@restante.test>",
  date: Date.UTC(2026, 10, 20, 10, 0, 0),
  boundarySeed: "seed",
  from: { address: "me@abcd1234.restante.test" },
  text: null,
  html: null,
};
const bodies = async (raw: Promise<Uint8Array>): Promise<{ mail: Mail; text: string | null; html: string | null }> => {
  const bytes = await raw;
  const mail = parseMail(bytes, defaultLimits);
  return { mail, text: joinTexts(bytes, mail.textParts), html: joinTexts(bytes, mail.htmlParts) };
};

describe("subjects", () => {
  test.each([
    ["Hello", "Re: Hello"],
    ["Re: Hello", "Re: Hello"],
    ["RE:Hello", "RE:Hello"],
    ["re[2]: Hello", "re[2]: Hello"],
    [" rE : Hello", "rE : Hello"],
    ["Reply", "Re: Reply"],
    ["Fwd: Hello", "Re: Fwd: Hello"],
    ["", "Re:"],
  ])("answers the subject %j by %j", (subject, expected) => {
    expect(replySubject(subject)).toBe(expected);
    expect(replySubject(expected)).toBe(expected);
  });

  test.each([
    ["Hello", "Fwd: Hello"],
    ["Fwd: Hello", "Fwd: Hello"],
    ["FW: Hello", "FW: Hello"],
    ["fwd:Hello", "fwd:Hello"],
    ["Re: Hello", "Fwd: Re: Hello"],
    ["Forward", "Fwd: Forward"],
    ["", "Fwd:"],
  ])("forwards the subject %j as %j", (subject, expected) => {
    expect(forwardSubject(subject)).toBe(expected);
    expect(forwardSubject(expected)).toBe(expected);
  });
});

describe("a reply", () => {
  test("is addressed to Reply-To rather than From, without entries that have no address", () => {
    expect(replyRecipients(original)).toEqual([{ name: "The Shop", address: "shop@corp.example" }]);
    const replyTo = [contact("", "nobody"), contact("help@corp.example")];
    expect(replyRecipients({ ...original, replyTo })).toEqual([{ name: "", address: "help@corp.example" }]);
    expect(replyRecipients({ ...original, from: [] })).toEqual([]);
  });

  test("has the References and In-Reply-To of its thread", async () => {
    const { mail } = await bodies(composeReply({ ...original, references: ["<m0@x>"] }, answer));
    expect(mail).toMatchObject({ subject: "Re: Invoice 7", messageId: answer.messageId });
    expect(mail.inReplyTo).toEqual(["<m1@corp.example>"]);
    expect(mail.references).toEqual(["<m0@x>", "<m1@corp.example>"]);
  });

  test("uses In-Reply-To when there are no References, and tolerates an unusable message id", async () => {
    expect(replyReferences({ ...original, inReplyTo: ["<m0@x>", "<other@x>"] })).toEqual([
      "<m0@x>",
      "<m1@corp.example>",
    ]);
    const { mail } = await bodies(composeReply({ ...original, messageId: "no brackets" }, answer));
    expect(mail.inReplyTo).toEqual([]);
    expect(mail.references).toEqual([]);
  });

  test("keeps 50 references of a longer thread: the first and the latest", () => {
    const references = Array.from({ length: 50 }, (_, index) => `<${index}@x>`);
    expect(replyReferences({ ...original, references: references.slice(0, 49) })).toHaveLength(50);
    const trimmed = replyReferences({ ...original, references });
    expect(trimmed).toHaveLength(50);
    expect(trimmed.slice(0, 2)).toEqual(["<0@x>", "<2@x>"]);
    expect(trimmed.at(-1)).toBe("<m1@corp.example>");
  });

  test("omits message ids of more than 250 characters", () => {
    const references = [`<${"a".repeat(248)}>`, `<${"a".repeat(249)}>`];
    expect(replyReferences({ ...original, references })).toEqual([references[0], "<m1@corp.example>"]);
  });

  test("starts with the given text and quotes the original's below", async () => {
    const { text, html } = await bodies(composeReply(original, { ...answer, text: "Paid.\n\nThanks" }));
    expect(text?.trimEnd()).toBe(
      "Paid.\n\nThanks\n\nOn Fri, 20 Nov 2026 09:00:00 +0000, The Shop <shop@corp.example> wrote:\n> first\n>> second",
    );
    expect(html).toBeNull();
  });

  test("starts with the given HTML and quotes the original in a blockquote, as text when it has no HTML", async () => {
    const given = "<html><body>Paid &amp; done</body></html>";
    const { text, html } = await bodies(composeReply({ ...original, text: "1 < 2\nnext" }, { ...answer, html: given }));
    expect(html?.startsWith(given)).toBe(true);
    expect(html).toMatch(/<blockquote type="cite">\n1 &lt; 2<br>\nnext\n<\/blockquote>/);
    expect(text).toBeNull();
  });

  test("contains only the quotation when no body was given, and only the attribution when there is nothing to quote", async () => {
    expect((await bodies(composeReply(original, answer))).text).toMatch(/^\n\nOn .* wrote:\n> first/);
    expect((await bodies(composeReply({ ...original, text: null, from: [] }, answer))).text?.trim()).toMatch(
      /somebody wrote:$/,
    );
  });

  test("contains the given bodies verbatim except for line ends", async () => {
    const given = fc.string({ unit: "grapheme", maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(given, given, async (text, html) => {
        const result = await bodies(composeReply(original, { ...answer, text, html }));
        expect(result.text).toContain(text.replaceAll(/\r\n?/g, "\n"));
        expect(result.html).toContain(html.replaceAll(/\r\n?/g, "\n"));
      }),
      { numRuns: 200 },
    );
  });
});

describe("a forward", () => {
  const forward = { ...answer, to: [{ address: "eve@corp.example" }] };

  test("has only a text body when the original is text and no HTML is given", async () => {
    const plain = await bodies(composeForward(original, { ...forward, text: "FYI" }));
    expect(plain.html).toBeNull();
    expect(plain.text).toMatch(/^FYI\n\n-+ Forwarded message -+\nFrom: The Shop <shop@corp.example>\n/);
    expect(plain.text).toContain("\nfirst\n> second\n");
    const rich = await bodies(composeForward(original, { ...forward, html: "<p>FYI</p>" }));
    expect(rich.html).toMatch(/^<p>FYI<\/p>\n/);
    expect(rich.html).toContain("first<br>\n&gt; second");
    expect(rich.text).toContain("first\n> second");
  });

  test("shows a text prefix in both bodies when the original is HTML", async () => {
    const mail = { ...original, text: null, html: "<b>Invoice</b>" };
    const { text, html } = await bodies(composeForward(mail, { ...forward, text: "a < b\nc" }));
    expect(text).toMatch(/^a < b\nc\n/);
    expect(html).toMatch(/^a &lt; b<br>\nc\n/);
    expect(html).toContain("<b>Invoice</b>");
  });

  test("has only an HTML body when the original is HTML and there is no prefix", async () => {
    const { text, html } = await bodies(composeForward({ ...original, text: null, html: "<b>x</b>" }, forward));
    expect(text).toBeNull();
    expect(html).toContain("<b>x</b>");
  });

  test("shows one line for each header field, even when the original's fields contain line ends", async () => {
    const subject = "a\r\nTo: forged@evil.example";
    const { text } = await bodies(composeForward({ ...original, subject, cc: [contact("c@corp.example")] }, forward));
    expect(text?.split("\n").filter((line) => /^(From|Date|Subject|To|Cc):/.test(line))).toEqual([
      "From: The Shop <shop@corp.example>",
      "Date: Fri, 20 Nov 2026 09:00:00 +0000",
      "Subject: a To: forged@evil.example",
      "To: me@abcd1234.restante.test",
      "Cc: c@corp.example",
    ]);
  });
});
