/** Templates, whose editable regions requests fill: https://mailchimp.com/developer/transactional/api/templates/ */
import type { JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import type { Members } from "../kit/members.ts";
import { collectionOf } from "../kit/objects.ts";
import { renderBodies } from "../kit/templates.ts";
import { errors } from "./errors.ts";
import { handler, instantText, readValues, requiredText } from "./request.ts";
import type { MandrillCall, MandrillMessage } from "./request.ts";

const texts = ["code", "subject", "from_email", "from_name", "text"] as const;

/** Texts of a template; null for absent ones. */
type TemplateTexts = Readonly<Record<(typeof texts)[number], string | null>>;

/** Template as it is stored. */
interface Template {
  readonly slug: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly draft: TemplateTexts;
  readonly published: TemplateTexts | null;
  readonly publishedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const nameLengthMax = 160;
const labelCountMax = 10;

const openTemplates = collectionOf<Template>("template");

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_]+/gu, "-")
    .replaceAll(/^-|-$/g, "");
}

/** Returns the template with a name or slug; throws a rejection without one. */
async function findTemplate(call: Pick<Call, "session">, name: string): Promise<Template> {
  return openTemplates(call).open(slugOf(name), () => errors.unknownTemplate(name));
}

/** Returns the published texts of the template that a request names, its regions filled; throws a rejection without any. */
export async function openTemplate({
  members,
  ...call
}: MandrillCall): Promise<TemplateTexts & Pick<Template, "slug">> {
  const name = requiredText(members, "template_name");
  const { published, slug } = await findTemplate(call, name);
  if (published === null) throw errors.unknownTemplate(name);
  const regions = members.objects("template_content");
  const contents = new Map(regions.map((one) => [one.text("name") ?? "", one.text("content") ?? ""] as const));
  return { ...published, slug, code: published.code === null ? null : fillRegions(published.code, contents) };
}

/** Evaluates the merge tags of texts; the current year is a variable too. */
export async function renderMerged<Name extends string>(
  { services }: Pick<Call, "services">,
  sources: Readonly<Record<Name, string | null>>,
  { language, variables }: Pick<MandrillMessage, "language" | "variables">,
): Promise<Readonly<Record<Name, string | null>>> {
  const year = new Date(services.now()).getUTCFullYear();
  const data = { CURRENT_YEAR: String(year), ...variables };
  return renderBodies(services, { language, sources, data }, errors.brokenTemplate);
}

/** Creates a template: `templates/add`. */
export const addTemplate: Handler = handler(async ({ members, ...call }) => {
  const name = requiredText(members, "name");
  const slug = slugOf(name);
  if (slug === "" || name.length > nameLengthMax) throw errors.invalid({ name: "Please enter 1 to 160 characters" });
  const now = call.services.now();
  const absent: TemplateTexts = { code: null, subject: null, from_email: null, from_name: null, text: null };
  const created = { slug, name, labels: [], published: null, publishedAt: null, createdAt: now, updatedAt: now };
  const template = changed({ ...created, draft: absent }, members, now);
  if (!(await openTemplates(call).create(slug, template))) throw errors.templateExists(name);
  return templateJson(template);
});

/** Returns a template: `templates/info`. */
export const getTemplate: Handler = handler(async (call) => templateJson(await named(call)));

/** Changes a template, and publishes it unless `publish` is false: `templates/update`. */
export const updateTemplate: Handler = handler(async (call) =>
  change(call, (template, now) => changed(template, call.members, now)),
);

/** Publishes the draft of a template: `templates/publish`. */
export const publishTemplate: Handler = handler(async (call) => change(call, published));

/** Removes a template: `templates/delete`. */
export const deleteTemplate: Handler = handler(async (call) => {
  const template = await named(call);
  await openTemplates(call).remove(template.slug);
  return templateJson(template);
});

/** Lists templates, those with a label or all: `templates/list`. */
export const listTemplates: Handler = handler(async (call) => {
  const label = call.members.text("label") ?? "";
  const all = await openTemplates(call).all();
  return all.filter(({ labels }) => label === "" || labels.includes(label)).map(templateJson);
});

/** Renders a template with the content of its regions and, when there are any, merge variables: `templates/render`. */
export const renderTemplate: Handler = handler(async (call) => {
  const source = { html: (await openTemplate(call)).code ?? "" };
  const variables = readValues(call.members.objects("merge_vars"));
  const isMerged = Object.keys(variables).length > 0;
  const { html } = isMerged ? await renderMerged(call, source, { language: "merge-tags", variables }) : source;
  return { html };
});

async function named(call: MandrillCall): Promise<Template> {
  return findTemplate(call, requiredText(call.members, "name"));
}

async function change(
  call: MandrillCall,
  changeOf: (template: Template, now: number) => Template,
): Promise<JsonObject> {
  const { slug, name } = await named(call);
  const now = call.services.now();
  const template = await openTemplates(call).change(slug, (present) => ({ ...changeOf(present, now), updatedAt: now }));
  if (template === undefined) throw errors.unknownTemplate(name);
  return templateJson(template);
}

function changed(template: Template, request: Members, now: number): Template {
  const draft = Object.fromEntries(texts.map((name) => [name, request.text(name) ?? template.draft[name]]));
  const labels = request.value("labels") === null ? template.labels : request.list("labels").map(String);
  if (labels.length > labelCountMax) throw errors.invalid({ labels: "Please enter at most 10 labels" });
  const next = { ...template, labels, draft: draft as TemplateTexts };
  return request.flag("publish") === false ? next : published(next, now);
}

function published(template: Template, now: number): Template {
  return { ...template, published: template.draft, publishedAt: now };
}

function templateJson(template: Template): JsonObject {
  const { slug, name, labels, draft, published: live, publishedAt, createdAt, updatedAt } = template;
  const publish = texts.map((one) => [`publish_${one}`, live?.[one] ?? null] as const);
  return {
    slug,
    name,
    labels,
    ...draft,
    publish_name: live === null ? null : name,
    ...Object.fromEntries(publish),
    published_at: publishedAt === null ? null : instantText(publishedAt),
    created_at: instantText(createdAt),
    updated_at: instantText(updatedAt),
    is_broken_template: false,
  };
}

const tagForm = /<(\/?)([a-z][a-z0-9]{0,30})\b([^<>]*)>/gi;
const attribute = /\smc:edit\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')/i;

/** Start tag, and the offset of its end tag; null without one. */
interface StartTag {
  readonly text: string;
  readonly start: number;
  end: number | null;
}

/** Replaces the content of the regions, the elements with an attribute `mc:edit="name"`, that have a new one, and removes the attributes of all regions. Takes linear time. */
export function fillRegions(html: string, contents: ReadonlyMap<string, string>): string {
  const chunks: string[] = [];
  let done = 0;
  for (const { text, start, end } of startTags(html)) {
    const [whole, double, single = ""] = attribute.exec(text) ?? [];
    // A region inside of one that was replaced has gone.
    if (whole === undefined || start < done) continue;
    chunks.push(html.slice(done, start), text.replace(whole, ""));
    done = start + text.length;
    const content = contents.get(double ?? single);
    if (content === undefined || end === null) continue;
    chunks.push(content);
    done = end;
  }
  return [...chunks, html.slice(done)].join("");
}

function startTags(html: string): readonly StartTag[] {
  const tags: StartTag[] = [];
  const open = new Map<string, StartTag[]>();
  for (const { 0: text, 1: slash, 2: name = "", index } of html.matchAll(tagForm)) {
    const own = open.get(name.toLowerCase()) ?? [];
    open.set(name.toLowerCase(), own);
    if (slash === "/") {
      const started = own.pop();
      if (started !== undefined) started.end = index;
      continue;
    }
    const tag: StartTag = { text, start: index, end: null };
    tags.push(tag);
    if (!text.endsWith("/>")) own.push(tag);
  }
  return tags;
}
