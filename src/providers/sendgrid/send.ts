/** Sending: one mail for each personalization of a request. */
import { setImmediate } from "node:timers/promises";
import { Problem } from "../../core/errors.ts";
import type { EmailDraft, SubmittedEmail } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { uuidToBase64url } from "../formats/uuid.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { detailOf, onProblem } from "../kit/rejection.ts";
import { renderBodies, type Bodies as StoredTemplate } from "../kit/templates.ts";
import type { ProviderResponse, ProviderServices } from "../provider.ts";
import { addToBatch, findBatch } from "./batches.ts";
import { rejection, sendGridError } from "./errors.ts";
import type { Personalization } from "./personalization.ts";
import { readSend, type SendRequest } from "./request.ts";
import { messageIdField } from "./response.ts";
import { Templates } from "./templates.ts";

/** Sends mail: `POST /v3/mail/send`. */
export const sendMail: Handler = async (call) => {
  const { request, session, services } = call;
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) throw new Problem("unsupported_media_type");
  const read = readSend(request.body, services.now());
  if (read.batchId !== null && (await findBatch(session, read.batchId)) === undefined) {
    throw rejection(400, [sendGridError("batchId", "batch_id")]);
  }
  if (read.isSandbox) return { status: 200, body: null };
  const template = read.templateId === null ? null : await new Templates(session).active(read.templateId);
  const emails = await onProblem("invalid_request", composeEmails(read, template, services), (problem) => {
    throw rejection(400, [sendGridError("templateFailed", "template_id", detailOf(problem))]);
  });
  return submit(read, emails, call);
};

async function submit(
  { batchId }: SendRequest,
  emails: readonly SubmittedEmail[],
  { session, services }: Call,
): Promise<ProviderResponse> {
  const submissions = await session.submitEmails(emails);
  const accepted = submissions.flatMap((one, at) => {
    const sendAt = emails[at]?.sendAt ?? null;
    return one.refusal === undefined ? [{ ...one, sendAt }] : [];
  });
  const [first] = accepted;
  if (first === undefined) throw rejection(400, [sendGridError("noServer", "personalizations.0.to")]);
  if (batchId !== null) {
    const scheduled = accepted.flatMap(({ uuid, sendAt }) => (sendAt === null ? [] : [{ uuid, sendAt }]));
    await addToBatch(session, { id: batchId, mails: scheduled, now: services.now() });
  }
  return { status: 202, headers: { "X-Message-Id": first.providerId }, body: null };
}

/** Subject and bodies of a mail. */
type Bodies = Pick<EmailDraft, "subject" | "text" | "html">;

/** Bytes of all mails of a request together; each personalization repeats the bodies and attachments. */
const composedBytesMax = 75 * 1024 * 1024;
/** Header fields of an attachment in bytes. */
const attachmentFrameBytes = 512;

/**
 * Returns the mails of a request. `template` is the active version of the request's template, null when it is not stored.
 * Rejects with `message_too_large`, and with `invalid_request` for templates that cannot be rendered.
 */
async function composeEmails(
  request: SendRequest,
  template: StoredTemplate | null,
  services: ProviderServices,
): Promise<readonly SubmittedEmail[]> {
  checkSize(request);
  const budget = new SubstitutionBudget();
  const emails: SubmittedEmail[] = [];
  const ids = { first: null };
  let length = 0;
  for (const personalization of request.personalizations) {
    // Substitutions run on the thread of the sockets.
    if (emails.length > 0) await setImmediate();
    const bodies = await bodiesOf(request, personalization, { template, services, budget });
    length += (bodies.text?.length ?? 0) + (bodies.html?.length ?? 0);
    if (length > composedBytesMax) throw new Problem("message_too_large");
    const isFirst = emails.length === 0;
    emails.push(emailOf(request, personalization, { bodies, budget, ids, isFirst }));
  }
  return emails;
}

function checkSize({ text, html, attachments, personalizations }: SendRequest): void {
  const files = attachments.reduce((sum, one) => sum + one.content.byteLength + attachmentFrameBytes, 0);
  const bodies = Buffer.byteLength(text ?? "") + Buffer.byteLength(html ?? "");
  if ((files + bodies) * personalizations.length > composedBytesMax) throw new Problem("message_too_large");
}

interface RenderContext {
  readonly template: StoredTemplate | null;
  readonly services: ProviderServices;
  readonly budget: SubstitutionBudget;
}

async function bodiesOf(
  request: SendRequest,
  personalization: Personalization,
  context: RenderContext,
): Promise<Bodies> {
  const { templateId, footer, sections } = request;
  const { substitutions, templateData } = personalization;
  const subject = personalization.subject ?? request.subject ?? "";
  const own: Bodies = { subject, text: request.text, html: request.html };
  const { template, services, budget } = context;
  const isDynamic = templateId?.startsWith("d-") ?? false;
  if (templateId !== null && template === null) return describeTemplate(own, templateId, dataOf(personalization));
  if (template !== null && isDynamic) {
    // Subject and text are not escaped.
    const job = { language: "handlebars", sources: template, data: templateData } as const;
    return withFooter(withOwn(await renderBodies(services, job), own), footer);
  }
  const bodies = template === null ? own : renderLegacy(template, own);
  const apply = (text: string): string => budget.apply(budget.apply(text, substitutions), sections);
  const text = bodies.text === null ? null : apply(bodies.text);
  const html = bodies.html === null ? null : apply(bodies.html);
  return withFooter({ subject: apply(bodies.subject), text, html }, footer);
}

/** Returns bodies that show the id and the data of a template that is not stored, so that tests can compare them. */
function describeTemplate({ subject, text, html }: Bodies, id: string, data: JsonObject): Bodies {
  const members = Object.entries(data).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const description = [`Template ${id}`, "", ...members, ""].join("\n");
  return {
    subject: subject === "" ? `Template ${id}` : subject,
    text: text === null ? description : `${text}\n\n${description}`,
    html,
  };
}

function withFooter({ subject, text, html }: Bodies, footer: SendRequest["footer"]): Bodies {
  return {
    subject,
    text: text === null || footer.text === "" ? text : `${text}\n${footer.text}`,
    html:
      html === null || footer.html === ""
        ? html
        : html.replace(/(?=<\/body>\s*(?:<\/html>\s*)?$)|$/i, () => footer.html),
  };
}

function dataOf({ templateData, substitutions }: Personalization): JsonObject {
  return Object.keys(substitutions).length > 0 ? { ...substitutions } : templateData;
}

interface EmailParts {
  readonly bodies: Bodies;
  readonly budget: SubstitutionBudget;
  /** Message id of the request's first mail, once it is known. */
  readonly ids: { first: string | null };
  readonly isFirst: boolean;
}

function emailOf(request: SendRequest, personalization: Personalization, parts: EmailParts): SubmittedEmail {
  const { to, cc, bcc, headers, substitutions, customArgs, sendAt } = personalization;
  const { bodies, budget, ids, isFirst } = parts;
  const from = personalization.from ?? request.from;
  const replyTo = request.replyTo.map(({ name, address }) => ({ name: budget.apply(name, substitutions), address }));
  const hasOwnId = headers.some(([name]) => name.toLowerCase() === "message-id");
  const { templateId, attachments } = request;
  return {
    content: { from, replyTo, to, cc, bcc, ...bodies, headers, attachments },
    mailFrom: from.address,
    recipients: [...to, ...cc, ...bcc].map(({ address }) => address),
    facts: {
      tags: request.categories,
      metadata: customArgs,
      template: templateId === null ? null : { id: templateId, data: dataOf(personalization) },
    },
    sendAt,
    identify: (uuid) => {
      const id = uuidToBase64url(uuid);
      if (isFirst) ids.first = id;
      const providerId = isFirst || ids.first === null ? id : `${ids.first}.${id}`;
      return { providerId, messageId: hasOwnId ? null : messageIdField(uuid) };
    },
  };
}

/** Returns the parts of a template, and of the request those that the template lacks. */
function withOwn({ subject, text, html }: StoredTemplate, own: Bodies): Bodies {
  return { subject: subject ?? own.subject, text: text ?? own.text, html: html ?? own.html };
}

/** Puts subject and bodies of a request into the `<%subject%>` and `<%body%>` of a legacy template. */
function renderLegacy({ subject, text, html }: StoredTemplate, own: Bodies): Bodies {
  const fill = (source: string | null, body: string | null): string | null =>
    source === null ? body : source.replace(/<%\s*body\s*%>/i, () => body ?? "");
  return {
    subject: subject === null ? own.subject : subject.replace(/<%\s*subject\s*%>/i, () => own.subject),
    text: fill(text, own.text),
    html: fill(html, own.html),
  };
}

/** Characters compared in one request: text length times number of tags. */
const workMax = 1_000_000_000;
/** Work of a tag besides the comparison, in characters. */
const tagWork = 2000;
/** Characters of one body after substitution. */
const substitutedLengthMax = 32 * 1024 * 1024;

/** Work of substitutions in one request; throws `message_too_large` beyond its limit. */
class SubstitutionBudget {
  #left = workMax;

  /** Returns the text with all tags replaced by their values, tag after tag. */
  apply(text: string, substitutions: Readonly<Record<string, string>>): string {
    let result = text;
    for (const [tag, value] of Object.entries(substitutions)) {
      this.#left -= result.length + tagWork;
      if (this.#left < 0) throw new Problem("message_too_large");
      if (tag !== "" && result.includes(tag)) result = replaceTag(result, tag, value);
    }
    return result;
  }
}

function replaceTag(text: string, tag: string, value: string): string {
  const growth = value.length - tag.length;
  let length = text.length;
  if (growth > 0) {
    for (let at = text.indexOf(tag); at !== -1; at = text.indexOf(tag, at + tag.length)) {
      length += growth;
      if (length > substitutedLengthMax) throw new Problem("message_too_large");
    }
  }
  return text.replaceAll(tag, () => value);
}
