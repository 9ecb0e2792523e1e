/** Mail of a rendered template. */
import { readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { parseAddressList } from "../mime/address-list.ts";
import type { Mailbox } from "../mime/compose/address-field.ts";
import { composeMail, type ComposedAttachment } from "../mime/compose/compose.ts";
import { realInnerPath, TemplateFileError } from "./inner-path.ts";
import type { RenderedTemplate } from "./render-job.ts";
import type { TemplateCase } from "./template-files.ts";
import type { TemplateConfig } from "./template-config.ts";

/** Rendered case, and how its mail is addressed. */
export interface ComposedTemplate {
  readonly folder: string;
  readonly template: TemplateCase;
  readonly rendered: RenderedTemplate;
  readonly config: TemplateConfig;
  /** Address of the recipient. */
  readonly to: string;
  /** Milliseconds since the Unix epoch. */
  readonly date: number;
}

/** Mail, and the images of the folder that it names but that are missing. */
export interface TemplateMail {
  readonly raw: Uint8Array;
  readonly missingImages: readonly string[];
}

/** Bytes of one image that is embedded. */
const imageBytesMax = 5 * 1024 * 1024;
const defaultSender = "Templates <templates@example.com>";

const imageTypes: Readonly<Record<string, string>> = {
  ".gif": "image/gif",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
};

/**
 * Composes the mail. Images that the HTML names by paths are those of the folder, and embedded: paths that begin with `/` are
 * relative to the folder, others to the template.
 */
export async function composeTemplate({
  rendered,
  template,
  config,
  ...mail
}: ComposedTemplate): Promise<TemplateMail> {
  const { html, missing, attachments } = embedImages(rendered.html, mail.folder, template);
  const headers = { ...config.headers, ...rendered.fields.headers };
  const language = template.locale === null ? [] : [["Content-Language", template.locale] as const];
  const identity = `${template.id.replaceAll(/[^\w.-]/g, "-")}.${String(mail.date)}`;
  const raw = await composeMail({
    messageId: `<${identity}@templates.example.com>`,
    date: mail.date,
    boundarySeed: identity,
    from: mailboxOf(rendered.fields.from ?? config.from ?? defaultSender),
    ...(rendered.fields.replyTo !== undefined && { replyTo: [mailboxOf(rendered.fields.replyTo)] }),
    to: [{ address: mail.to }],
    subject: rendered.subject ?? template.id,
    text: rendered.text,
    html,
    attachments,
    custom: [...Object.entries(headers), ...language, ["X-Restante-Template", template.id]],
  });
  return { raw, missingImages: missing };
}

function mailboxOf(text: string): Mailbox {
  const [first] = parseAddressList(text);
  return { name: first?.name ?? "", address: first?.email ?? "templates@example.com" };
}

interface EmbeddedImages {
  readonly html: string | null;
  readonly missing: readonly string[];
  readonly attachments: readonly ComposedAttachment[];
}

function embedImages(html: string | null, folder: string, template: TemplateCase): EmbeddedImages {
  if (html === null) return { html, missing: [], attachments: [] };
  const missing = new Set<string>();
  const embedded = new Map<string, ComposedAttachment>();
  const shown = html.replaceAll(/<img\s[^>]*>/gi, (tag) =>
    tag.replace(/(?<=\ssrc\s{0,10}=\s{0,10})(?:"[^"]*"|'[^']*')/i, (quoted) => {
      const source = quoted.slice(1, -1);
      if (!isPath(source)) return quoted;
      const image = embedded.get(source) ?? readImage(folder, template, source);
      if (image === null) {
        missing.add(source);
        return quoted;
      }
      embedded.set(source, image);
      return `"cid:${image.contentId ?? ""}"`;
    }),
  );
  return { html: shown, missing: [...missing], attachments: [...embedded.values()] };
}

/** Whether an address is a path, rather than a URL, an embedded part or a placeholder of the sender. */
function isPath(source: string): boolean {
  return source.trim() !== "" && !/^(?:[a-z][a-z\d+.-]*:|\/\/|#|[{[%])/i.test(source.trim());
}

/** Returns the image as a part; null when the folder has no such file. */
function readImage(folder: string, { html }: TemplateCase, source: string): ComposedAttachment | null {
  const [path = ""] = source.trim().split(/[?#]/);
  const from = path.startsWith("/") ? folder : join(folder, dirname(html?.path ?? ""));
  const contentType = imageTypes[extname(path).toLowerCase()];
  if (contentType === undefined) return null;
  try {
    const file = realInnerPath(folder, join(from, decoded(path)));
    if (statSync(file).size > imageBytesMax) return null;
    const contentId = `${path.replaceAll(/[^\w.-]+/g, "-").replace(/^-/, "")}@templates.example.com`;
    return { fileName: basename(path), contentType, content: readFileSync(file), contentId, isInline: true };
  } catch (error) {
    if (error instanceof TemplateFileError) return null;
    throw error;
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // A name with a percent sign is that name.
    return path;
  }
}
