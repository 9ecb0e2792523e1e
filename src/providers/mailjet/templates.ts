/** Templates: stored as objects of the caller, the content as an object of its own. */
import type { Problem } from "../../core/errors.ts";
import type { DraftMailbox, EmailDraft } from "../email.ts";
import { parseMailbox, parseMailboxes } from "../formats/mailbox.ts";
import type { Call } from "../kit/endpoints.ts";
import { Collection } from "../kit/objects.ts";
import { onProblem } from "../kit/rejection.ts";
import { showUnstoredTemplate } from "../kit/templates.ts";
import { objectNotFound, texts, type Report } from "./errors.ts";
import type { MailjetMessage } from "./request.ts";

/** Template without its content. */
export interface Template {
  readonly id: number;
  readonly name: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Further properties as the caller set them: `Author`, `Purposes`, …. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Content of a template. */
export interface TemplateContent {
  readonly html: string;
  readonly text: string;
  readonly mjml: string;
  /** `From`, `Subject`, `Reply-to`, …. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Content of a new template. */
export const emptyContent: TemplateContent = { html: "", text: "", mjml: "", headers: {} };

/** Templates of a caller, and their contents; both by id. */
interface TemplateStore {
  readonly templates: Collection<Template>;
  readonly contents: Collection<TemplateContent>;
}

/** Opens the templates of a caller. */
export function openTemplates({ session }: Pick<Call, "session">): TemplateStore {
  return { templates: new Collection(session, "template"), contents: new Collection(session, "content") };
}

/** Returns the template with an id or a name; undefined without one. */
async function findTemplate(call: Pick<Call, "session">, idOrName: string): Promise<Template | undefined> {
  const { templates } = openTemplates(call);
  if (/^[1-9]\d{0,14}$/.test(idOrName)) return templates.find(idOrName);
  return (await templates.all()).find(({ name }) => name === idOrName);
}

/** Returns the template that the path names; throws Mailjet's 404 without one. */
export async function openTemplate(call: Call): Promise<Template> {
  const template = await findTemplate(call, call.request.params["id"] ?? "");
  if (template === undefined) throw objectNotFound();
  return template;
}

/** Returns the content of a template, which is empty until it is set. */
export async function contentOf(call: Pick<Call, "session">, { id }: Template): Promise<TemplateContent> {
  return (await openTemplates(call).contents.find(String(id))) ?? emptyContent;
}

/** Texts of a message after its template was applied and the template language was interpreted. */
export interface RenderedMessage extends Pick<EmailDraft, "replyTo" | "subject" | "text" | "html"> {
  /** Null without a sender. */
  readonly from: DraftMailbox | null;
}

/** Dependencies of rendering one message. */
interface RenderDependencies extends Pick<Call, "session" | "services"> {
  readonly report: Report;
}

/** Applies the template of a message; one that is not stored is shown as its id and the variables. */
export async function renderMessage(
  message: MailjetMessage,
  dependencies: RenderDependencies,
): Promise<RenderedMessage> {
  const { template: id, html } = message;
  if (id === null) return renderSources(message, emptyContent, dependencies);
  const template = await findTemplate(dependencies, id);
  if (template === undefined) return unstored(message, id);
  const content = await contentOf(dependencies, template);
  if (content.html !== "" && html !== null && html !== "") {
    dependencies.report("send-0004", texts.twoHtmlParts, "HTMLPart", "TemplateID");
  }
  return renderSources(message, content, dependencies);
}

async function renderSources(
  message: MailjetMessage,
  content: TemplateContent,
  { services, report }: RenderDependencies,
): Promise<RenderedMessage> {
  const sources = sourcesOf(message, content);
  if (!message.hasLanguage) return messageOf(message, sources);
  const job = { language: "mjtl", sources, data: message.variables } as const;
  const rendered = await onProblem("invalid_request", services.renderTemplates(job), (problem) => {
    if (!message.deliversErrors) report("template-language", textOf(problem), "TemplateLanguage", "Variables");
    return {};
  });
  return messageOf(message, { ...sources, ...rendered });
}

function textOf({ fields: [field], message }: Problem): string {
  return field === undefined ? message : `${field.field}: ${field.description}`;
}

type Sources = Readonly<Record<string, string>>;

/** Returns the sources by name; those of the message take precedence over those of the template. */
function sourcesOf(message: MailjetMessage, content: TemplateContent): Sources {
  const header = (name: string): string | undefined =>
    Object.entries(content.headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const optional = {
    subject: message.subject ?? header("subject"),
    text: content.text || message.text,
    html: content.html || message.html,
    from: message.from === null ? header("from") : undefined,
    replyTo: message.replyTo.length === 0 ? header("reply-to") : undefined,
  };
  return Object.fromEntries(
    Object.entries(optional).flatMap(([name, source]) => (typeof source === "string" ? [[name, source]] : [])),
  );
}

function messageOf({ from, replyTo }: MailjetMessage, sources: Sources): RenderedMessage {
  return {
    from: from ?? parseMailbox(sources["from"] ?? "") ?? null,
    replyTo: replyTo.length > 0 ? replyTo : (parseMailboxes(sources["replyTo"] ?? "") ?? []),
    subject: sources["subject"] ?? "",
    text: sources["text"] ?? null,
    html: sources["html"] ?? null,
  };
}

function unstored({ from, replyTo, subject, variables }: MailjetMessage, id: string): RenderedMessage {
  const shown = showUnstoredTemplate(id, variables);
  return { from, replyTo, subject: subject ?? shown.subject, text: shown.text, html: null };
}
