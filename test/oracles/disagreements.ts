import type { Reading } from "./reading.ts";

/** Deliberate difference between another parser and this one on mails of the corpus, and the reason. */
export interface Disagreement {
  readonly oracle: "mailparser" | "postal-mime" | "both";
  /** Matches the names of the mails. */
  readonly mails: RegExp;
  readonly members: readonly (keyof Reading)[];
  readonly reason: string;
}

const attached = ["text", "fileNames", "contentIds", "contents"] as const;
const typed = ["text", "html", "fileNames", "contentIds", "contents"] as const;

/** All known disagreements; one that no mail shows any more fails the test. */
export const disagreements: readonly Disagreement[] = [
  {
    oracle: "both",
    mails: /charset (hz-gb-2312|iso-2022-kr)/,
    members: ["text", "subject"],
    reason: "they do not support the charset",
  },
  {
    oracle: "postal-mime",
    mails: /charset (cp437|cp850|utf-7|utf-32) /,
    members: ["text", "subject"],
    reason: "it supports only the charsets of TextDecoder",
  },
  {
    oracle: "mailparser",
    mails: /charset x-mac-cyrillic/,
    members: ["text", "subject"],
    reason: "it does not support the charset",
  },
  {
    oracle: "both",
    mails: /charset utf-16 in/,
    members: ["text"],
    reason: "they read a big-endian byte order mark as little-endian",
  },
  {
    oracle: "postal-mime",
    mails: /charset unknown, bytes are UTF-8/,
    members: ["text"],
    reason: "it decodes unknown charsets as windows-1252",
  },
  {
    oracle: "mailparser",
    mails: /bytes are windows-1252/,
    members: ["text"],
    reason: "it decodes unlabelled bytes as UTF-8 even if they are not",
  },
  {
    oracle: "both",
    mails: /charset of an? (HTML body|meta element)/,
    members: ["html"],
    reason: "they do not read the charset that an HTML body declares",
  },
  {
    oracle: "both",
    mails: /Content-Type without a semicolon/,
    members: ["text"],
    reason: "they lose the parameters when the semicolon before them is missing",
  },
  {
    oracle: "both",
    mails: /transfer encoding with a blank/,
    members: ["text"],
    reason: "they support the transfer encoding only with its hyphen",
  },
  { oracle: "mailparser", mails: /byte order mark/, members: ["html"], reason: "it keeps the mark" },
  {
    oracle: "both",
    mails: /raw windows-1252/,
    members: ["cc", "fileNames"],
    reason: "they decode raw header bytes as UTF-8 even if they are not",
  },
  {
    oracle: "both",
    mails: /file name: Windows path/,
    members: ["fileNames"],
    reason: "they remove backslashes that quote nothing",
  },
  {
    oracle: "both",
    mails: /gap in the continuations/,
    members: ["fileNames"],
    reason: "they join the segments on both sides of the gap; with a part missing the result is not the name",
  },
  {
    oracle: "both",
    mails: /Content-Type filename|mailer go/,
    members: ["fileNames"],
    reason: "they do not read the name from the parameter of the other field",
  },
  {
    oracle: "both",
    mails: /forwarded mail|digest/,
    members: attached,
    reason: "they inline a mail without disposition; here it is one attachment",
  },
  {
    oracle: "both",
    mails: /named text beside a body/,
    members: attached,
    reason: "they append a named file to the body",
  },
  {
    oracle: "both",
    mails: /several texts of a mixed/,
    members: ["text", "html"],
    reason: "they convert text to HTML and HTML to text",
  },
  {
    oracle: "postal-mime",
    mails: /no closing boundary/,
    members: ["text"],
    reason: "it adds a line end to every text before joining",
  },
  {
    oracle: "mailparser",
    mails: /inner multipart never closed/,
    members: attached,
    reason: "it searches for the innermost boundary only",
  },
  {
    oracle: "mailparser",
    mails: /blanks behind boundaries/,
    members: ["text"],
    reason: "it does not support transport padding (RFC 2046 §5.1.1)",
  },
  {
    oracle: "both",
    mails: /multipart without boundary|boundary that never comes/,
    members: ["text"],
    reason: "they return no text for a multipart without parts",
  },
  {
    oracle: "both",
    mails: /no empty line before the body|no header section at all|text without a header section/,
    members: ["text"],
    reason: "they parse the text as header fields and lose it",
  },
  {
    oracle: "mailparser",
    mails: /repeated fields/,
    members: ["subject"],
    reason: "it uses the last of repeated fields",
  },
  { oracle: "postal-mime", mails: /folded fields/, members: ["subject"], reason: "it keeps the tab of a fold" },
  {
    oracle: "postal-mime",
    mails: /character split over encoded words/,
    members: ["cc"],
    reason: "it decodes each word separately",
  },
  {
    oracle: "both",
    mails: /bare CR/,
    members: ["subject", "from", "text"],
    reason: "they do not support CR line ends",
  },
  {
    oracle: "postal-mime",
    mails: /quoted-printable, lower case/,
    members: ["text"],
    reason: "it keeps blanks before line ends (RFC 2045 §6.7 (3))",
  },
  {
    oracle: "both",
    mails: /format=flowed/,
    members: ["text"],
    reason: "they keep the quote mark of a joined line (RFC 3676 §4.5)",
  },
  {
    oracle: "both",
    mails: /footer behind its padding/,
    members: ["text"],
    reason: "they continue to decode after the padding (RFC 2045 §6.8)",
  },
  {
    oracle: "both",
    mails: /a text in which a line looks like a field/,
    members: ["text"],
    reason: "they read the first line of a text without an empty line before it as a header field, and drop it",
  },
  {
    oracle: "mailparser",
    mails: /byte order mark before the first field/,
    members: ["from", "text"],
    reason: "it makes the mark part of the first field's name, and drops the one before the text",
  },
  {
    oracle: "postal-mime",
    mails: /byte order mark before the first field/,
    members: ["from"],
    reason: "it makes the mark part of the first field's name",
  },
  { oracle: "both", mails: /uuencoded/, members: ["contents"], reason: "they do not decode it" },
  {
    oracle: "both",
    mails: /Content-Type "/,
    members: typed,
    reason: "they treat a part of malformed type as a file; RFC 2045 §5.2 recommends text",
  },
  {
    oracle: "mailparser",
    mails: /Content-Type with comments/,
    members: typed,
    reason: "it does not support comments in Content-Type",
  },
];
