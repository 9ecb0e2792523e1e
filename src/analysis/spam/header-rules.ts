import { fieldValues, hasMessageIdForm } from "../mail-facts.ts";
import type { SpamRules, SpamSubject } from "./judge-spam.ts";

const dayMs = 86_400_000;
const addressInName = /[\w.+-]{1,64}@([\w-]{1,63}(?:\.[\w-]{1,63}){1,8})/;

/** Rules about the header section. */
export const headerRules: SpamRules = {
  MISSING_DATE: {
    score: 1.4,
    description: "There is no Date field (RFC 5322 §3.6)",
    matches: (subject) => fieldValues(subject, "date").length === 0,
  },
  DATE_IN_FUTURE: {
    score: 2,
    description: "Date is more than a day after the time of receipt",
    matches: ({ mail, receivedAt }) => mail.headerDate !== null && mail.headerDate > receivedAt + dayMs,
  },
  DATE_IN_PAST: {
    score: 1,
    description: "Date is more than four days before the time of receipt",
    matches: ({ mail, receivedAt }) => mail.headerDate !== null && mail.headerDate < receivedAt - 4 * dayMs,
  },
  MISSING_MESSAGE_ID: {
    score: 0.5,
    description: "There is no Message-ID field (RFC 5322 §3.6.4)",
    matches: ({ mail }) => mail.messageId === null,
  },
  MALFORMED_MESSAGE_ID: {
    score: 0.6,
    description: "Message-ID is not of the form <left@right>",
    matches: ({ mail }) => mail.messageId !== null && !hasMessageIdForm(mail.messageId),
  },
  MISSING_FROM: {
    score: 1.5,
    description: "There is no From field with an address (RFC 5322 §3.6.2)",
    matches: ({ mail }) => mail.from.every(({ email }) => email === null || email === ""),
  },
  FROM_WITHOUT_DOMAIN: {
    score: 1,
    description: "The address in From has no domain of at least two labels",
    matches: ({ mail }) => mail.from.some(({ email }) => email !== null && email !== "" && !hasFullDomain(email)),
  },
  FROM_NAME_IS_ANOTHER_ADDRESS: {
    score: 2,
    description: "The display name in From shows an address of another domain",
    matches: ({ mail }) =>
      mail.from.some(({ name, email }) => {
        const shown = addressInName.exec(name.slice(0, 1000))?.[1]?.toLowerCase();
        return shown !== undefined && email?.toLowerCase().endsWith(`@${shown}`) !== true;
      }),
  },
  MISSING_TO: {
    score: 0.8,
    description: "Neither To nor Cc has a recipient",
    matches: ({ mail }) => mail.to.length + mail.cc.length === 0,
  },
  MISSING_SUBJECT: {
    score: 1.3,
    description: "The subject is missing or empty",
    matches: ({ mail }) => mail.subject.trim() === "",
  },
  SUBJECT_ALL_CAPITALS: {
    score: 1.2,
    description: "The subject has at least ten capital letters and no lower-case letter",
    matches: ({ mail }) => (mail.subject.match(/\p{Lu}/gu)?.length ?? 0) >= 10 && !/\p{Ll}/u.test(mail.subject),
  },
  SUBJECT_SHOUTS: {
    score: 0.7,
    description: "The subject has two exclamation or dollar marks in a row",
    matches: ({ mail }) => /[!$€£]{2}/.test(mail.subject),
  },
  REPLY_TO_NOTHING: {
    score: 0.8,
    description: "The subject starts like a reply, and the mail has no In-Reply-To",
    matches: ({ mail }) => /^\s*re\s*:/i.test(mail.subject) && mail.inReplyTo.length + mail.references.length === 0,
  },
  REPLIES_GO_ELSEWHERE: {
    score: 0.5,
    description: "Replies go to another domain than the sender's",
    matches: ({ mail }) => {
      const senders = mail.from.map(({ email }) => organisation(email));
      return mail.replyTo.length > 0 && mail.replyTo.every(({ email }) => !senders.includes(organisation(email)));
    },
  },
  REPEATED_FIELD: {
    score: 1,
    description: "A field that may occur once is repeated (RFC 5322 §3.6)",
    matches: ({ mail }) => mail.defects.includes("repeated_header_field"),
  },
  BULK_WITHOUT_UNSUBSCRIBE: {
    score: 1,
    description: "The mail is marked as bulk mail and has no List-Unsubscribe",
    matches: (subject) => isBulk(subject) && fieldValues(subject, "list-unsubscribe").length === 0,
  },
};

function isBulk(subject: SpamSubject): boolean {
  const precedence = fieldValues(subject, "precedence").some((value) => /^(?:bulk|list|junk)$/i.test(value));
  return precedence || fieldValues(subject, "list-id").length > 0;
}

/** Returns the last two labels of an address's domain. */
function organisation(email: string | null): string {
  const domain = (email ?? "").slice((email ?? "").lastIndexOf("@") + 1).toLowerCase();
  return domain.split(".").slice(-2).join(".");
}

/** Whether the domain of an address has a dot, neither first nor last. */
function hasFullDomain(email: string): boolean {
  const at = email.lastIndexOf("@");
  const domain = email.slice(at + 1);
  return at !== -1 && !/\s/.test(domain) && domain.slice(1, -1).includes(".");
}
