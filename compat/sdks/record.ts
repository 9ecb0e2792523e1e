/** Verifies what the SDKs of providers sent, and keeps it for docs/guide/providers/sdks.md. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Use of an SDK that is tried. */
export const scenarios = ["attachment", "inline", "batch", "template", "sms", "error"] as const;

/** See {@link scenarios}. */
export type Scenario = (typeof scenarios)[number];

/** SDK of a provider in one language, and the outcome of each scenario that it has. */
export interface SdkResult {
  readonly language: string;
  /** Name of the provider, or of its API: `ses v1`. */
  readonly provider: string;
  /** Package with its version. */
  readonly sdk: string;
  /** "ok", or the reason of a failure. */
  readonly scenarios: Readonly<Partial<Record<Scenario, string>>>;
}

/** Line of a report: a program writes one for each scenario that its SDK has. */
interface ReportLine {
  readonly provider: string;
  readonly sdk: string;
  readonly scenario: Scenario;
  /** Error that the SDK raised, as text; absent when it raised none. */
  readonly error?: string;
}

/** Access to the service that the SDKs sent to. */
export interface Access {
  readonly url: string;
  readonly key: string;
  readonly server: string;
}

const file = join(import.meta.dirname, "results.json");
const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

/** Returns the results of all runs, by language and provider. */
export function readResults(): readonly SdkResult[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as SdkResult[]) : [];
}

/** Verifies the mails and SMS of a report, replaces the results of its language, and returns those that failed. */
export async function recordSdks(language: string, report: string, access: Access): Promise<readonly SdkResult[]> {
  const lines = report
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ReportLine);
  const results: SdkResult[] = [];
  for (const [name, own] of Map.groupBy(lines, ({ provider, sdk }) => `${provider}\n${sdk}`)) {
    const [provider = "", sdk = ""] = name.split("\n");
    const outcomes = await Promise.all(
      own.map(async (line) => [line.scenario, await outcomeOf(line, access)] as const),
    );
    results.push({ language, provider, sdk, scenarios: Object.fromEntries(outcomes) });
  }
  const others = readResults().filter((one) => one.language !== language);
  const all = [...others, ...results].toSorted((one, other) => orderOf(one).localeCompare(orderOf(other), "en"));
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
  return results.filter((one) => Object.values(one.scenarios).some((outcome) => outcome !== "ok"));
}

const orderOf = ({ provider, language, sdk }: SdkResult): string => `${provider} ${language} ${sdk}`;

interface StoredMessage {
  readonly subject: string;
  readonly html?: { readonly body: string | null };
  readonly text?: { readonly body: string | null };
  readonly attachments: readonly {
    readonly id: string;
    readonly fileName: string;
    readonly contentId: string | null;
  }[];
  readonly provider?: { readonly template?: { readonly id: string } | null };
}

async function outcomeOf({ provider, scenario, error }: ReportLine, access: Access): Promise<string> {
  if (scenario === "error") return error === undefined || error === "" ? "the SDK raised no error" : "ok";
  if (error !== undefined) return error;
  const names = scenario === "batch" ? ["batch-1", "batch-2"] : [scenario];
  for (const name of names) {
    const criteria =
      scenario === "sms"
        ? { body: `Your code is 482913, ${provider}` }
        : { sentTo: `${provider.replaceAll(" ", "-")}-${name}@${access.server}.example` };
    const [found, ...more] = await search(criteria, access);
    if (found === undefined || more.length > 0)
      return `${more.length + (found === undefined ? 0 : 1)} messages of ${name}`;
    const fault = await faultOf(scenario, found, access);
    if (fault !== null) return fault;
  }
  return "ok";
}

async function faultOf(scenario: Scenario, message: StoredMessage, access: Access): Promise<string | null> {
  const [file] = message.attachments;
  const shown = shownBy(message);
  if (scenario === "attachment") return (await isSameFile(file, access)) ? null : "the attachment differs";
  if (scenario === "inline") return isReferredTo(file, shown) ? null : "the HTML does not refer to the image";
  if (scenario === "template") return isOfTemplate(message) ? null : "the mail has no template";
  return shown.includes("482913") ? null : "the text differs";
}

function isReferredTo(file: StoredMessage["attachments"][number] | undefined, html: string): boolean {
  const cid = /src="cid:([^"]+)"/.exec(html)?.[1];
  return cid !== undefined && file?.contentId === cid;
}

/** Whether a template was rendered, or a mail names one that is not stored here. */
function isOfTemplate(message: StoredMessage): boolean {
  return shownBy(message).includes("Hello Ada") || (message.provider?.template ?? null) !== null;
}

function shownBy({ html, text }: StoredMessage): string {
  return [html, text].map((body) => body?.body ?? "").join("");
}

async function isSameFile(file: StoredMessage["attachments"][number] | undefined, access: Access): Promise<boolean> {
  if (file?.fileName !== "all.txt") return false;
  const response = await call(`/api/files/attachments/${file.id}`, access);
  return bytes.equals(new Uint8Array(await response.arrayBuffer()));
}

async function search(criteria: object, access: Access): Promise<readonly StoredMessage[]> {
  const response = await call(`/api/messages/search?server=${access.server}&timeout=0`, access, criteria);
  const found = (await response.json()) as readonly { readonly id: string }[];
  return Promise.all(
    found.map(async ({ id }) => (await call(`/api/messages/${id}`, access)).json() as Promise<StoredMessage>),
  );
}

async function call(path: string, { url, key }: Access, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const request = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
  const response = await fetch(new URL(path, url), request);
  if (!response.ok) throw new Error(`${path}: ${String(response.status)} ${await response.text()}`);
  return response;
}
