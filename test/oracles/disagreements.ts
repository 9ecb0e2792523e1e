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
    reason: "they do not know the charset",
  },
  {
    oracle: "postal-mime",
    mails: /charset (cp437|cp850|utf-7|utf-32) /,
    members: ["text", "subject"],
    reason: "it knows only what TextDecoder knows",
  },
  {
    oracle: "mailparser",
    mails: /charset x-mac-cyrillic/,
    members: ["text", "subject"],
    reason: "it does not know the charset",
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
    reason: "it takes unknown charsets for windows-1252",
  },
  {
    oracle: "mailparser",
    mails: /bytes are windows-1252/,
    members: ["text"],
    reason: "it takes unlabelled bytes for UTF-8 even when they are not",
  },
  {
    oracle: "both",
    mails: /charset of an? (HTML body|meta element)/,
    members: ["html"],
    reason: "they do not look for the charset that an HTML body declares",
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
    reason: "they know the transfer encoding only with its hyphen",
  },
  { oracle: "mailparser", mails: /byte order mark/, members: ["html"], reason: "it keeps the mark" },
  {
    oracle: "both",
    mails: /raw windows-1252/,
    members: ["cc", "fileNames"],
    reason: "they take raw header bytes for UTF-8 even when they are not",
  },
  {
    oracle: "both",
    mails: /file name: Windows path/,
    members: ["fileNames"],
    reason: "they drop backslashes that quote nothing",
  },
  {
    oracle: "both",
    mails: /gap in the continuations/,
    members: ["fileNames"],
    reason: "they join over the gap; what was between is lost, so the rest is no name",
  },
  {
    oracle: "both",
    mails: /Content-Type filename|mailer go/,
    members: ["fileNames"],
    reason: "they do not look for a name under the other field's parameter",
  },
  {
    oracle: "both",
    mails: /forwarded mail|digest/,
    members: attached,
    reason: "they inline a mail without disposition; it stays one attachment here",
  },
  { oracle: "both", mails: /named text beside a body/, members: attached, reason: "they merge a file into the body" },
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
    reason: "it ends every text with a line end before joining",
  },
  {
    oracle: "mailparser",
    mails: /inner multipart never closed/,
    members: attached,
    reason: "it looks for the innermost boundary only",
  },
  {
    oracle: "mailparser",
    mails: /blanks behind boundaries/,
    members: ["text"],
    reason: "it knows no transport padding (RFC 2046 §5.1.1)",
  },
  {
    oracle: "both",
    mails: /multipart without boundary|boundary that never comes/,
    members: ["text"],
    reason: "they show nothing of a mail whose multipart has no parts",
  },
  {
    oracle: "both",
    mails: /no empty line before the body|no header section at all/,
    members: ["text"],
    reason: "they take the text for header fields and lose it",
  },
  {
    oracle: "mailparser",
    mails: /repeated fields/,
    members: ["subject"],
    reason: "it takes the last of repeated fields",
  },
  { oracle: "postal-mime", mails: /folded fields/, members: ["subject"], reason: "it keeps the tab of a fold" },
  {
    oracle: "postal-mime",
    mails: /character split over encoded words/,
    members: ["cc"],
    reason: "it decodes each word by itself",
  },
  { oracle: "both", mails: /bare CR/, members: ["subject", "from", "text"], reason: "they know no CR line ends" },
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
    reason: "they decode on behind the padding (RFC 2045 §6.8)",
  },
  { oracle: "both", mails: /uuencoded/, members: ["contents"], reason: "they do not decode it" },
  {
    oracle: "both",
    mails: /Content-Type "/,
    members: typed,
    reason: "they take a malformed type for a file; RFC 2045 §5.2 recommends text",
  },
  {
    oracle: "mailparser",
    mails: /Content-Type with comments/,
    members: typed,
    reason: "it knows no comments in Content-Type",
  },
];
