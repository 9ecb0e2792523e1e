import { fieldValues, hasMessageIdForm } from "../mail-facts.ts";
import { isStandardMailDate } from "../../core/mail-date.ts";
import { isOneClick, unsubscribeUris } from "../../core/unsubscribe.ts";
import { singleFields } from "../../mime/parse-mail.ts";
import { type LintRule, type LintSubject, type Notice, noticeIf, noticesOf, rulesOf } from "./lint-rule.ts";

/** Characters of a line beyond which receivers may truncate or reject it (RFC 5322 §2.1.1). */
const lineBytesMax = 998;
const subjectLengthMax = 78;

/** Rules about the header section. */
export const headerRules: readonly LintRule[] = rulesOf("headers", {
  from: {
    severity: "error",
    meaning: "There is exactly one From field, with at least one address (RFC 5322 §3.6.2).",
    check: (subject) => {
      const count = fieldValues(subject, "from").length;
      if (count !== 1) return [{ message: count === 0 ? "There is no From field" : `There are ${count} From fields` }];
      const isEmpty = subject.mail.defects.includes("from_without_address");
      return noticeIf(isEmpty, "From contains no address", fieldValues(subject, "from")[0] ?? "");
    },
  },
  date: {
    severity: "error",
    meaning: "There is a valid Date field (RFC 5322 §3.3); receivers add their own and distrust mail without one.",
    check: (subject) => {
      const [value] = fieldValues(subject, "date");
      if (value === undefined) return [{ message: "There is no Date field" }];
      if (subject.mail.headerDate === null) return [{ message: "Date is invalid", subject: value }];
      return noticeIf(!isStandardMailDate(value), "Date is not of the form Fri, 20 Nov 2026 10:42:07 +0000", value);
    },
  },
  "message-id": {
    severity: "error",
    meaning: "There is a Message-ID of the form `<left@right>` (RFC 5322 §3.6.4); replies and threads depend on it.",
    check: ({ mail: { messageId } }) => {
      if (messageId === null) return [{ message: "There is no Message-ID field" }];
      return noticeIf(!hasMessageIdForm(messageId), "Message-ID is not of the form <left@right>", messageId);
    },
  },
  subject: {
    severity: "warning",
    meaning: "There is a subject, of at most 78 characters, so that message lists show all of it.",
    check: ({ mail: { subject } }) => {
      if (subject.trim() === "") return [{ message: "There is no subject" }];
      const length = Array.from(subject).length;
      return noticeIf(length > subjectLengthMax, `The subject has ${length} characters`, subject);
    },
  },
  "repeated-field": {
    severity: "error",
    meaning:
      "No field that may occur only once is repeated (RFC 5322 §3.6); receivers disagree about which one to use, and some reject the mail.",
    // The rule `from` is about From.
    check: (subject) =>
      noticesOf(
        "A field that may occur once is repeated",
        singleFields.filter((name) => name !== "from" && fieldValues(subject, name).length > 1),
      ),
  },
  "list-unsubscribe": {
    severity: "info",
    meaning:
      "Mail to many people has a List-Unsubscribe field (RFC 2369) with an `https` or `mailto` address in angle brackets; large receivers require it. Not needed for mail that its recipient requested.",
    check: (subject) =>
      noticeIf(fieldValues(subject, "list-unsubscribe").length === 0, "There is no List-Unsubscribe field"),
  },
  "list-unsubscribe-form": {
    severity: "error",
    meaning:
      "A List-Unsubscribe field contains addresses in angle brackets, separated by commas (RFC 2369 §2), at least one of them `https` or `mailto`.",
    check: (subject) =>
      noticesOf(
        "List-Unsubscribe contains no https or mailto address in angle brackets",
        fieldValues(subject, "list-unsubscribe").filter(
          (value) => !unsubscribeUris(value).some((address) => /^(?:https:\/\/|mailto:)\S/i.test(address)),
        ),
      ),
  },
  "list-unsubscribe-one-click": {
    severity: "warning",
    meaning:
      "In addition to List-Unsubscribe, there is `List-Unsubscribe-Post: List-Unsubscribe=One-Click` and an `https` address (RFC 8058 §3.1), and a DKIM signature covers both (§4); large receivers require it from senders of bulk mail.",
    check: checkOneClick,
  },
  "header-line-length": {
    severity: "error",
    meaning: "Lines of the header section have at most 998 bytes (RFC 5322 §2.1.1).",
    check: ({ raw, mail }) => checkLines(raw, mail.root.headerEnd),
  },
});

function* checkOneClick(subject: LintSubject): Generator<Notice> {
  const [list] = fieldValues(subject, "list-unsubscribe");
  const [post] = fieldValues(subject, "list-unsubscribe-post");
  if (list === undefined && post === undefined) return;
  if (list === undefined)
    yield { message: "There is a List-Unsubscribe-Post field without List-Unsubscribe", subject: post ?? "" };
  else if (post === undefined)
    yield { message: "There is no List-Unsubscribe-Post field, so readers cannot unsubscribe with one click" };
  else if (!isOneClick(post))
    yield { message: "List-Unsubscribe-Post is not List-Unsubscribe=One-Click", subject: post };
  else if (!unsubscribeUris(list).some((address) => /^https:/i.test(address)))
    yield { message: "One-click unsubscribing needs an https address in List-Unsubscribe", subject: list };
  else if (!isSigned(subject)) yield { message: "No DKIM signature covers List-Unsubscribe and List-Unsubscribe-Post" };
}

function isSigned(subject: LintSubject): boolean {
  return fieldValues(subject, "dkim-signature").some((value) => {
    const covered =
      /(?:^|;)\s*h\s*=([^;]*)/i
        .exec(value)?.[1]
        ?.toLowerCase()
        .split(":")
        .map((name) => name.trim()) ?? [];
    return covered.includes("list-unsubscribe") && covered.includes("list-unsubscribe-post");
  });
}

/** Returns at most one notice: the first line that is too long. */
function checkLines(raw: Uint8Array, end: number): readonly Notice[] {
  let start = 0;
  while (start < end) {
    const lineFeed = raw.indexOf(10, start);
    const next = lineFeed < 0 || lineFeed > end ? end : lineFeed;
    const length = raw[next - 1] === 13 ? next - 1 - start : next - start;
    if (length > lineBytesMax) return [{ message: `A line of the header section has ${length} bytes` }];
    start = next + 1;
  }
  return [];
}
