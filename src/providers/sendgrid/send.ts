/** Sending: one mail for each personalization of a request. */
import { setImmediate } from "node:timers/promises";
import { Problem } from "../../core/errors.ts";
import type { EmailDraft, SubmittedEmail } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { uuidToBase64url } from "../formats/uuid.ts";
import { emailOf, submitAll } from "../kit/emails.ts";
import type { Handler } from "../kit/endpoints.ts";
import { detailOf, onProblem } from "../kit/rejection.ts";
import { renderBodies, type Bodies as StoredTemplate } from "../kit/templates.ts";
import type { ProviderServices } from "../provider.ts";
import { addToBatch, findBatch } from "./batches.ts";
import { rejection, sendGridError } from "./errors.ts";
import type { Personalization } from "./personalization.ts";
import { readSend, type SendRequest } from "./request.ts";
import { Templates } from "./templates.ts";

/** Sends mail: `POST /v3/mail/send`. */
export const sendMail: Handler = async (call) => {
  const { request, session, services } = call;
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) throw new Problem("unsupported_media_type");
  const read = readSend(request.body, services.now());
  const { batchId, templateId } = read;
  if (batchId !== null && (await findBatch(session, batchId)) === undefined) {
    throw rejection(400, [sendGridError("batchId", "batch_id")]);
  }
  if (read.isSandbox) return { status: 200, body: null };
  const template = templateId === null ? null : await new Templates(session).active(templateId);
  const composing = new Composer(read, template, services).compose();
  const emails = await onProblem("invalid_request", composing, (problem) =>
    rejection(400, [sendGridError("templateFailed", "template_id", detailOf(problem))]),
  );
  const noServer = rejection(400, [sendGridError("noServer", "personalizations.0.to")]);
  const accepted = await submitAll(session, emails, noServer);
  if (batchId !== null) {
    const mails = accepted.flatMap(({ uuid, email: { sendAt } }) => (sendAt === null ? [] : [{ uuid, sendAt }]));
    await addToBatch(call, batchId, mails);
  }
  return { status: 202, headers: { "X-Message-Id": accepted[0]?.providerId ?? "" }, body: null };
};

/** Subject and bodies of a mail. */
type Bodies = Pick<EmailDraft, "subject" | "text" | "html">;

/** Bytes of all mails of a request together; each personalization repeats the bodies and attachments. */
const composedBytesMax = 75 * 1024 * 1024;
/** Header fields of an attachment in bytes. */
const attachmentFrameBytes = 512;
/** Characters compared in one request: text length times number of tags. */
const workMax = 1_000_000_000;
/** Work of a tag besides the comparison, in characters. */
const tagWork = 2000;
/** Characters of one body after substitution. */
const substitutedLengthMax = 32 * 1024 * 1024;

/** Host of the Message-ID fields that the API writes; the local part is the message id. */
const messageIdHost = "geopod-ismtpd-1";

/** Composition of the mails of one request. */
class Composer {
  readonly #request: SendRequest;
  /** Active version of the request's template; null when it is not stored. */
  readonly #template: StoredTemplate | null;
  readonly #services: ProviderServices;
  #workLeft = workMax;
  /** Message id of the first mail, once it is known. */
  #firstId: string | null = null;

  constructor(request: SendRequest, template: StoredTemplate | null, services: ProviderServices) {
    this.#request = request;
    this.#template = template;
    this.#services = services;
  }

  /** Returns the mails. Rejects with `message_too_large`, and with `invalid_request` for templates that cannot be rendered. */
  async compose(): Promise<readonly SubmittedEmail[]> {
    const { text, html, attachments, personalizations } = this.#request;
    const files = attachments.reduce((sum, one) => sum + one.content.byteLength + attachmentFrameBytes, 0);
    const own = files + Buffer.byteLength(text ?? "") + Buffer.byteLength(html ?? "");
    if (own * personalizations.length > composedBytesMax) throw new Problem("message_too_large");
    const emails: SubmittedEmail[] = [];
    let length = 0;
    for (const mail of personalizations) {
      // Substitutions run on the thread of the sockets.
      if (emails.length > 0) await setImmediate();
      const bodies = await this.#bodiesOf(mail);
      length += (bodies.text?.length ?? 0) + (bodies.html?.length ?? 0);
      if (length > composedBytesMax) throw new Problem("message_too_large");
      emails.push(this.#emailOf(mail, bodies, emails.length === 0));
    }
    return emails;
  }

  async #bodiesOf(mail: Personalization): Promise<Bodies> {
    const { templateId, text, html, footer } = this.#request;
    const template = this.#template;
    const own: Bodies = { subject: mail.subject ?? this.#request.subject ?? "", text, html };
    if (templateId !== null && template === null) return describeTemplate(own, templateId, dataOf(mail));
    if (template === null || templateId?.startsWith("d-") !== true) {
      return withFooter(this.#substituteAll(template === null ? own : renderLegacy(template, own), mail), footer);
    }
    // Subject and text are not escaped.
    const job = { language: "handlebars", sources: template, data: mail.templateData } as const;
    const rendered = Object.entries(await renderBodies(this.#services, job)).filter(([, part]) => part !== null);
    return withFooter({ ...own, ...Object.fromEntries(rendered) }, footer);
  }

  #substituteAll({ subject, text, html }: Bodies, { substitutions }: Personalization): Bodies {
    const apply = (body: string): string =>
      this.#substitute(this.#substitute(body, substitutions), this.#request.sections);
    return {
      subject: apply(subject),
      text: text === null ? null : apply(text),
      html: html === null ? null : apply(html),
    };
  }

  #emailOf(mail: Personalization, bodies: Bodies, isFirst: boolean): SubmittedEmail {
    const { to, cc, bcc, headers, substitutions, customArgs, sendAt } = mail;
    const { templateId, attachments, categories } = this.#request;
    const from = mail.from ?? this.#request.from;
    const replyTo = this.#request.replyTo.map((one) => ({ ...one, name: this.#substitute(one.name, substitutions) }));
    const hasOwnId = headers.some(([name]) => name.toLowerCase() === "message-id");
    return emailOf(
      { from, replyTo, to, cc, bcc, ...bodies, headers, attachments },
      {
        tags: categories,
        metadata: customArgs,
        template: templateId === null ? null : { id: templateId, data: dataOf(mail) },
        sendAt,
        identify: (uuid) => {
          const id = uuidToBase64url(uuid);
          if (isFirst) this.#firstId = id;
          const providerId = isFirst || this.#firstId === null ? id : `${this.#firstId}.${id}`;
          return { providerId, messageId: hasOwnId ? null : `<${id}@${messageIdHost}>` };
        },
      },
    );
  }

  /** Returns the text with all tags replaced by their values, tag after tag; throws `message_too_large` beyond the limits. */
  #substitute(text: string, substitutions: Readonly<Record<string, string>>): string {
    let result = text;
    for (const [tag, value] of Object.entries(substitutions)) {
      this.#workLeft -= result.length + tagWork;
      if (this.#workLeft < 0) throw new Problem("message_too_large");
      if (tag !== "" && result.includes(tag)) result = replaceTag(result, tag, value);
    }
    return result;
  }
}

function replaceTag(text: string, tag: string, value: string): string {
  const growth = value.length - tag.length;
  let length = text.length;
  for (let at = growth > 0 ? text.indexOf(tag) : -1; at !== -1; at = text.indexOf(tag, at + tag.length)) {
    length += growth;
    if (length > substitutedLengthMax) throw new Problem("message_too_large");
  }
  return text.replaceAll(tag, () => value);
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

const bodyTag = /<%\s*body\s*%>/i;

/** Puts subject and bodies of a request into the `<%subject%>` and `<%body%>` of a legacy template. */
function renderLegacy({ subject, text, html }: StoredTemplate, own: Bodies): Bodies {
  return {
    subject: subject?.replace(/<%\s*subject\s*%>/i, () => own.subject) ?? own.subject,
    text: text?.replace(bodyTag, () => own.text ?? "") ?? own.text,
    html: html?.replace(bodyTag, () => own.html ?? "") ?? own.html,
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
