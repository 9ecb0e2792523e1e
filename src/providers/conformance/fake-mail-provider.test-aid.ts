/** Mail provider that does not exist, with every feature. It proves that the conformance suite can fail. */
import { Problem } from "../../core/errors.ts";
import type { FaultError } from "../../core/fault.ts";
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox, EmailFeature, ProviderFacts, SubmittedEmail } from "../email.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import {
  jsonResponse,
  type Provider,
  type ProviderEndpoint,
  type ProviderRequest,
  type ProviderResponse,
  type ProviderServices,
  type ProviderSession,
} from "../provider.ts";

/** Faults of the fake; none by default. */
export interface FakeFaults {
  readonly changeEmail?: (email: SubmittedEmail) => SubmittedEmail;
  readonly changeServices?: (services: ProviderServices) => ProviderServices;
  readonly changeMail?: (mail: JsonObject) => JsonObject;
  readonly changeResponse?: (response: ProviderResponse, request: ProviderRequest) => ProviderResponse;
  readonly uuidOf?: (providerId: string) => string;
  readonly isUnchecked?: boolean;
}

const features: readonly EmailFeature[] = [
  "batch",
  "attachments",
  "inline images",
  "custom headers",
  "tags",
  "metadata",
  "stored templates",
  "templates of the provider",
  "schedule",
  "cancel",
  "sandbox",
  "idempotency",
  "read back",
];

/** Returns the fake provider with these faults. */
export function fakeMailProvider(faults: FakeFaults = {}): Provider {
  const { changeResponse = (response) => response, changeServices = (services) => services } = faults;
  const endpoint = (line: string, handle: ProviderEndpoint["handle"]): ProviderEndpoint => {
    const [method, path] = line.split(" ") as ["GET" | "POST", string];
    return {
      method,
      path,
      summary: "",
      successes: [],
      body: "mail",
      handle: async (request, services) => changeResponse(await handle(request, changeServices(services)), request),
    };
  };
  return {
    name: "fake",
    label: "Fake",
    apiOrigins: /^https:\/\/fake\.example$/,
    sms: null,
    endpoints: [
      endpoint("POST /send", async (request, services) =>
        send([readJson(request.body)], { request, services, faults }),
      ),
      endpoint("POST /batch", async (request, services) => {
        const mails = readJson(request.body);
        return Array.isArray(mails) ? send(mails, { request, services, faults }) : failure(400, "body");
      }),
      endpoint("POST /messages/:id/cancel", async ({ key, params }, services) => {
        const session = await services.authenticate(key, "send");
        await session.cancelEmail(uuidOf(params["id"] ?? ""));
        return jsonResponse(200, {});
      }),
      endpoint("GET /messages/:id", async ({ key, params }, services) => {
        const session = await services.authenticate(key, "read");
        return jsonResponse(200, (await session.getEmail(uuidOf(params["id"] ?? ""))).message);
      }),
      endpoint("POST /templates", async ({ key, body }, services) => {
        const session = await services.authenticate(key, "send");
        const value = readJson(body);
        if (!isJsonObject(value)) return failure(400, "body");
        await session.objects.put("template", "T1", { value: { html: String(value["html"]), text: value["text"] } });
        return jsonResponse(200, { id: "T1" });
      }),
    ],
    faultResponse: (fault) => failure(typeof fault === "string" ? faultStatuses[fault] : fault.status, "fault"),
    errorResponse: ({ code, row }, request) => changeResponse(failure(row.status, code), request as ProviderRequest),
    email: { requestBytesMax: 1_000_000, recipientCountMax: 3, features, uuidOf: faults.uuidOf ?? uuidOf },
  };
}

const faultStatuses: Readonly<Record<FaultError, number>> = {
  rateLimited: 429,
  unavailable: 503,
  internal: 500,
  unauthorized: 401,
  invalidRecipient: 400,
  tooLarge: 413,
  timeout: 504,
};

function failure(status: number, error: string): ProviderResponse {
  return jsonResponse(status, { error });
}

function uuidOf(providerId: string): string {
  return /^fake-(?<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(providerId)?.groups?.["uuid"] ?? "";
}

interface Sending {
  readonly request: ProviderRequest;
  readonly services: ProviderServices;
  readonly faults: FakeFaults;
}

async function send(mails: readonly unknown[], { request, services, faults }: Sending): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "send");
  const { changeMail = (mail) => mail, changeEmail = (email) => email, isUnchecked = false } = faults;
  const [error] = mails.map(errorOfMail).filter((one) => one !== null);
  if (error !== undefined && !isUnchecked) return failure(400, error);
  const own = mails.map((mail) => changeMail(isJsonObject(mail) ? mail : {}));
  if (own.some(({ sandbox }) => sandbox === true)) return jsonResponse(200, { ids: [] });
  const submit = async (): Promise<readonly string[]> => {
    const emails = await Promise.all(own.map(async (mail) => toEmail(mail, session, services)));
    const submitted = await session.submitEmails(emails.map(changeEmail));
    return submitted.map((one) => {
      if (one.refusal !== undefined) throw new Problem("invalid_request");
      return one.providerId;
    });
  };
  const key = own[0]?.["idempotencyKey"];
  return jsonResponse(200, { ids: await (typeof key === "string" ? session.once(key, own, submit) : submit()) });
}

function errorOfMail(mail: unknown): string | null {
  if (!isJsonObject(mail)) return "body";
  const { from, to, text, html, template, attachments = [] } = mail;
  if (mailboxesOf([from]).length === 0) return "from";
  const recipientCount = mailboxesOf(to).length;
  if (recipientCount === 0 || recipientCount !== arrayOf(to).length) return "to";
  if (recipientCount > 3) return "too many";
  if (![text, html].some((body) => typeof body === "string") && !isJsonObject(template)) return "content";
  return filesOf(attachments).length === arrayOf(attachments).length ? null : "attachments";
}

async function toEmail(
  mail: JsonObject,
  { objects }: ProviderSession,
  services: ProviderServices,
): Promise<SubmittedEmail> {
  const [from = { name: "", address: "" }] = mailboxesOf([mail["from"]]);
  const lists = { to: mailboxesOf(mail["to"]), cc: mailboxesOf(mail["cc"]), bcc: mailboxesOf(mail["bcc"]) };
  const template = templateOf(mail["template"]);
  const stored = template === null ? undefined : await objects.get("template", template.id);
  const bodies: Readonly<Record<string, string | null>> =
    stored === undefined
      ? { text: textOf(mail["text"]) ?? (template && JSON.stringify(template)), html: textOf(mail["html"]) }
      : await services.renderTemplates({
          language: "handlebars",
          sources: stringsOf(stored.value),
          data: template?.data,
        });
  const replyTo = mailboxesOf([mail["replyTo"]]);
  const subject = textOf(mail["subject"]) ?? "";
  const headers = Object.entries(stringsOf(mail["headers"]));
  const attachments = filesOf(mail["attachments"]);
  const { text = null, html = null } = bodies;
  return {
    content: { from, ...lists, replyTo, subject, text, html, headers, attachments },
    mailFrom: from.address,
    recipients: Object.values(lists).flatMap((list) => list.map(({ address }) => address)),
    facts: {
      tags: arrayOf(mail["tags"]).filter((tag) => typeof tag === "string"),
      metadata: stringsOf(mail["metadata"]),
      template,
    },
    sendAt: typeof mail["sendAt"] === "number" ? mail["sendAt"] : null,
    identify: (uuid) => ({ providerId: `fake-${uuid}`, messageId: null }),
  };
}

function templateOf(value: unknown): ProviderFacts["template"] {
  if (!isJsonObject(value)) return null;
  const { id, data = {} } = value;
  return { id: textOf(id) ?? "", data };
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function stringsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

function mailboxesOf(list: unknown): readonly DraftMailbox[] {
  return arrayOf(list).flatMap((one) => {
    const { name = "", address = "" } = stringsOf(one);
    return isEmailAddress(address) ? [{ name, address }] : [];
  });
}

function filesOf(list: unknown): readonly DraftAttachment[] {
  return arrayOf(list).flatMap((one) => {
    const {
      fileName = null,
      contentType = "application/octet-stream",
      contentId = null,
      content = "?",
    } = stringsOf(one);
    const bytes = decodeStrictBase64(content);
    return bytes === null ? [] : [{ fileName, contentType, contentId, isInline: contentId !== null, content: bytes }];
  });
}
