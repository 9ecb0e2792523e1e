import {
  summaryContacts,
  type Contact,
  type Metadata,
  type ProviderOrigin,
  type Summary,
} from "../../../core/message.ts";
import type { FaultHit } from "../../../core/fault.ts";
import { type SmtpSession, isVerdictTag, tagsOfVerdicts } from "../../../core/smtp-session.ts";
import { addressKeyOf, foldAddress, foldText } from "../../../core/fold.ts";
import { attachmentIdAt, decodeMessageId, type MessageId, type ServerId } from "../../../core/ids.ts";
import { SearchBody } from "../../../core/search/search-fields.ts";
import { tagsOfHeaders, validTags } from "../../../core/tagging.ts";
import type { NewMessage, SearchKeys } from "../../../store/store.ts";
import type { BodyPlaces, EmailContent } from "./email-bodies.ts";
import { summarySubject } from "./mail-files.ts";
import { labelKeys, searchFieldsOf } from "./search-fields.ts";
import { encodeDetail, type StoredDetail } from "./stored-detail.ts";

/** Mail with its envelope and session. */
export interface ReceivedMail {
  readonly raw: Uint8Array;
  readonly envelope: {
    /** "" for the null reverse-path, null without an envelope. */
    readonly mailFrom: string | null;
    /** Recipients of one server only, so that no server sees those of another. */
    readonly rcptTo: readonly string[];
  };
  /** Null without an SMTP session. */
  readonly session: SmtpSession | null;
  /** Facts of the provider's API that the mail was submitted through; absent for other mail. */
  readonly provider?: ProviderOrigin;
  /** Faults that applied to the mail, also those of other servers, which are left out; none by default. */
  readonly faults?: readonly FaultHit[];
  /** UUID under which the mail was scheduled or held; absent for mail that arrived at once. */
  readonly submittedAs?: MessageId;
  /** Encoded transcript of the session or of the request; absent without one. */
  readonly transcript?: string | undefined;
  /** Instant at which a held mail was accepted, in milliseconds since the Unix epoch; null or absent for other mail. */
  readonly acceptedAt?: number | null;
}

/**
 * Returns the record of a mail in one server; envelope recipients without a header field are `bcc`, and the tags of X-Tags and of
 * the verdicts on its sender its marks.
 */
export function recordEmail(id: MessageId, mail: ReceivedMail, content: EmailContent): NewMessage {
  const { server, receivedAt } = decodeMessageId(id);
  const { raw, envelope, session, provider, submittedAs, transcript } = mail;
  const rcptTo = envelope.rcptTo.map(contactOf);
  const { subject, from, to, cc } = content;
  const recipients = recipientsOf(content, rcptTo);
  const { bcc } = recipients;
  const received = new Date(receivedAt).toISOString();
  const summary: Summary = {
    id,
    type: "Email",
    server,
    subject: summarySubject(subject),
    from: summaryContacts(from),
    to: summaryContacts(to),
    cc: summaryContacts(cc),
    bcc: summaryContacts(bcc),
    received,
    summary: content.summary,
    attachments: content.attachments.length,
  };
  const { bodies } = content;
  const detail: StoredDetail = {
    message: {
      id,
      type: "Email",
      from,
      to,
      cc,
      bcc,
      received,
      subject,
      html: bodies?.html ?? null,
      text: bodies?.text ?? null,
      attachments: content.attachments.map(({ contentType, fileName, contentId, length }, position) => {
        return { id: attachmentIdAt(id, position), contentType, fileName, contentId, length };
      }),
      metadata: metadataOf(mail, content, { server, rcptTo }),
      server,
      defects: content.defects,
      ...(provider !== undefined && { provider }),
    },
    ...unstoredPlaces(content),
    parts: content.attachments.map(({ content: place, isInline }) => ({ ...place, isInline })),
    session,
    ...(submittedAs !== undefined && { submittedAs }),
    ...(transcript !== undefined && { transcript }),
  };
  return {
    id,
    summaryJson: Buffer.from(JSON.stringify(summary), "utf8"),
    detailJson: encodeDetail(detail, raw.byteLength),
    raw,
    keys: {
      ...searchKeys(mail, content, recipients),
      ...labelKeys(provider, submittedAs),
    },
    ...marksOf(session, content),
  };
}

/** Tags of verdicts are not taken from a field of the sender. */
function marksOf(session: SmtpSession | null, { headers }: EmailContent): Pick<NewMessage, "marks"> {
  const given = tagsOfHeaders(headers);
  const verdicts = session?.verdicts;
  const tags =
    verdicts === undefined
      ? given
      : validTags([...tagsOfVerdicts(verdicts), ...given.filter((tag) => !isVerdictTag(tag))]);
  return tags.length > 0 ? { marks: { flags: [], tags } } : {};
}

function metadataOf(
  { envelope, session, acceptedAt, faults = [] }: ReceivedMail,
  { headers }: EmailContent,
  { server, rcptTo }: { readonly server: ServerId; readonly rcptTo: readonly Contact[] },
): Metadata {
  return {
    headers,
    ehlo: session?.ehlo ?? null,
    ...(session?.auth === undefined ? {} : { auth: session.auth }),
    mailFrom: envelope.mailFrom,
    rcptTo,
    ...lateFacts(server, { acceptedAt: acceptedAt ?? null, faults }),
  };
}

/** Returns the members of the metadata of a message in a server that was held or that faults applied to. */
export function lateFacts(
  server: ServerId,
  { acceptedAt, faults = [] }: Pick<ReceivedMail, "acceptedAt" | "faults">,
): Pick<Metadata, "accepted" | "faults"> {
  const own = faults.filter((hit) => hit.server === null || hit.server === server);
  return {
    ...(typeof acceptedAt === "number" && { accepted: new Date(acceptedAt).toISOString() }),
    ...(own.length > 0 && { faults: own.map(({ rule, stage, action }) => ({ rule, stage, action })) }),
  };
}

/** Returns the positions of the bodies that are read from the raw mail. */
function unstoredPlaces({ bodies, htmlParts, textParts }: EmailContent): BodyPlaces {
  return {
    htmlParts: typeof bodies?.html.body === "string" ? [] : htmlParts,
    textParts: typeof bodies?.text.body === "string" ? [] : textParts,
  };
}

/** Returns the distinct search keys of contacts. */
function addressKeys(contacts: readonly Contact[]): readonly string[] {
  const keys = new Set(contacts.map((contact) => addressKeyOf(contact)));
  keys.delete("");
  return [...keys];
}

/** Returns the keys and the subject by which searches find a stored message, folded. */
export function storedKeysOf({ message, submittedAs }: StoredDetail): Omit<SearchKeys, "body" | "fields"> {
  const { from, to, cc, bcc, metadata, subject, provider } = message;
  return {
    from: addressKeys([...from, contactOf(metadata.mailFrom ?? "")]),
    to: addressKeys([...to, ...cc, ...bcc, ...metadata.rcptTo]),
    subject: foldText(subject),
    ...labelKeys(provider, submittedAs),
  };
}

function searchKeys(
  { envelope, provider }: ReceivedMail,
  content: EmailContent,
  { bcc, keys }: Recipients,
): SearchKeys {
  return {
    from: addressKeys([...content.from, contactOf(envelope.mailFrom ?? "")]),
    to: keys,
    subject: foldText(content.subject),
    body: new SearchBody(content.searchBody),
    fields: searchFieldsOf({ ...content, bcc, provider }),
  };
}

interface Recipients {
  readonly bcc: readonly Contact[];
  /** Distinct search keys of all recipients. */
  readonly keys: readonly string[];
}

/** Adds the envelope recipients without a header field to the Bcc of a mail. */
function recipientsOf({ to, cc, bcc }: EmailContent, rcptTo: readonly Contact[]): Recipients {
  const known = new Set<string>();
  for (const named of [to, cc, bcc]) for (const contact of named) known.add(addressKeyOf(contact));
  const unnamed = rcptTo.filter(({ email }) => known.size < known.add(foldAddress(email ?? "")).size);
  known.delete("");
  return { bcc: unnamed.length === 0 ? bcc : [...bcc, ...unnamed], keys: [...known] };
}

function contactOf(address: string): Contact {
  return { name: "", email: address, phone: null };
}
