/** Templates: stored as objects of the caller, the content as an object of its own. */
import { randomInt } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import type { DraftMailbox, EmailSession } from "../email.ts";
import { parseMailbox, parseMailboxes } from "../formats/mailbox.ts";
import type { ProviderServices } from "../provider.ts";
import { showUnstoredTemplate } from "../kit/templates.ts";
import { invalid, objectNotFound, texts, type Report } from "./errors.ts";
import type { MailjetMessage } from "./request.ts";

const [templateKind, contentKind] = ["template", "content"];
const pageLength = 1000;

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

/** Templates of the caller. */
export interface TemplateStore {
  /** Returns all templates in the order of their creation. */
  readonly list: () => Promise<readonly Template[]>;
  /** Returns the template with an id or a name; undefined without one. */
  readonly find: (idOrName: string) => Promise<Template | undefined>;
  /** Creates a template; rejects with Mailjet's error when the name is taken. */
  readonly create: (template: Omit<Template, "id">) => Promise<Template>;
  readonly put: (template: Template) => Promise<void>;
  readonly remove: (template: Template) => Promise<void>;
  readonly contentOf: (template: Template) => Promise<TemplateContent>;
  readonly putContent: (template: Template, content: TemplateContent) => Promise<void>;
}

/** Opens the templates of a session. */
export function openTemplates({ objects }: EmailSession): TemplateStore {
  const list = async (): Promise<readonly Template[]> => {
    const templates: Template[] = [];
    for (let offset = 0; ; offset += pageLength) {
      const page = await objects.list(templateKind, offset);
      templates.push(...page.map(({ value }) => value as Template));
      if (page.length < pageLength) return templates;
    }
  };
  return {
    list,
    find: async (idOrName) => {
      if (/^[1-9]\d{0,14}$/.test(idOrName)) {
        return (await objects.get(templateKind, idOrName))?.value as Template | undefined;
      }
      return (await list()).find(({ name }) => name === idOrName);
    },
    create: async (template) => {
      if ((await list()).some(({ name }) => name === template.name)) throw invalid(texts.templateExists(template.name));
      for (;;) {
        const value: Template = { ...template, id: randomInt(1_000_000, 10_000_000) };
        if (await objects.put(templateKind, String(value.id), { value, version: 0 })) return value;
      }
    },
    put: async (value) => void (await objects.put(templateKind, String(value.id), { value })),
    remove: async ({ id }) => {
      await objects.remove(templateKind, String(id));
      await objects.remove(contentKind, String(id));
    },
    contentOf: async ({ id }) =>
      ((await objects.get(contentKind, String(id)))?.value as TemplateContent | undefined) ?? emptyContent,
    putContent: async ({ id }, value) => void (await objects.put(contentKind, String(id), { value })),
  };
}

/** Returns the template that a request names; throws Mailjet's 404 without one. */
export async function requireTemplate(store: TemplateStore, idOrName: string): Promise<Template> {
  const template = await store.find(idOrName);
  if (template === undefined) throw objectNotFound();
  return template;
}

/** Texts of a message after its template was applied and the template language was interpreted. */
export interface RenderedMessage {
  /** Null without a sender. */
  readonly from: DraftMailbox | null;
  readonly replyTo: readonly DraftMailbox[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
}

/** Dependencies of rendering one message. */
export interface RenderDependencies {
  readonly store: TemplateStore;
  readonly services: ProviderServices;
  readonly report: Report;
}

/** Applies the template of a message; one that is not stored is shown as its id and the variables. */
export async function renderMessage(
  message: MailjetMessage,
  dependencies: RenderDependencies,
): Promise<RenderedMessage> {
  const { store, report } = dependencies;
  const { template: id, html } = message;
  if (id === null) return renderSources(message, emptyContent, dependencies);
  const template = await store.find(id);
  if (template === undefined) return unstored(message, id);
  const content = await store.contentOf(template);
  if (content.html !== "" && html !== null && html !== "") {
    report("send-0004", texts.twoHtmlParts, "HTMLPart", "TemplateID");
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
  try {
    const job = { language: "mjtl", sources, data: message.variables } as const;
    return messageOf(message, { ...sources, ...(await services.renderTemplates(job)) });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "invalid_request") throw error;
    if (!message.deliversErrors) report("template-language", textOf(error), "TemplateLanguage", "Variables");
    return messageOf(message, sources);
  }
}

function textOf(problem: Problem): string {
  const [field] = problem.fields;
  return field === undefined ? problem.message : `${field.field}: ${field.description}`;
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
