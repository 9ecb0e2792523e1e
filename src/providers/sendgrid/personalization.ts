import type { DraftMailbox } from "../email.ts";
import { isAbsent, type JsonObject } from "../formats/json-body.ts";
import type { Issues } from "./issues.ts";
import { checkSendAt, readHeaders, readMailbox, readRecipients, recipientCountMax } from "./shared-members.ts";
import type { Headers, Recipients } from "./shared-members.ts";

const personalizationCountMax = 1000;
/** UTF-8 bytes of names and values together. */
const customArgsBytesMax = 10_000;
const substitutionsBytesMax = 10_000;

/** One mail of a request. */
export interface Personalization extends Recipients {
  /** Null: the global one. */
  readonly from: DraftMailbox | null;
  /** Null: the global one. */
  readonly subject: string | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly customArgs: Readonly<Record<string, string>>;
  readonly substitutions: Readonly<Record<string, string>>;
  readonly templateData: JsonObject;
  /** Milliseconds since the Unix epoch; null: now. */
  readonly sendAt: number | null;
}

/** Members of the whole request that personalizations override. */
export interface GlobalMembers {
  readonly from: DraftMailbox | undefined;
  readonly headers: Headers;
  readonly customArgs: Readonly<Record<string, string>>;
  readonly sendAt: number | null;
  /** Null without a template. */
  readonly template: "dynamic" | "legacy" | null;
}

interface Context {
  readonly global: GlobalMembers;
  readonly now: number;
}

/** Reads the `custom_args` of the whole request, which each personalization merges with its own. */
export function readGlobalArgs(issues: Issues, value: unknown): Readonly<Record<string, string>> {
  const args = issues.strings(value ?? undefined, "custom_args", "customArgsValues");
  if (bytesOf(args) <= customArgsBytesMax) return args;
  issues.add("customArgsSize", "custom_args");
  return {};
}

/** Reads `personalizations` and merges the global members into each. */
export function readPersonalizations(issues: Issues, value: unknown, context: Context): readonly Personalization[] {
  const list = issues.array(value ?? undefined, "personalizations");
  if (isAbsent(value) || list?.length === 0) {
    issues.add("personalizationsRequired", "personalizations");
  }
  if (list === undefined) return [];
  if (list.length > personalizationCountMax) {
    issues.add("tooManyPersonalizations", "personalizations", String(list.length));
    return [];
  }
  const read = list.flatMap((one, at) => {
    const field = `personalizations.${at}`;
    const personalization = issues.object(one ?? null, field);
    return personalization === undefined ? [] : [readPersonalization(issues, personalization, { ...context, field })];
  });
  const count = read.reduce((sum, { to, cc, bcc }) => sum + to.length + cc.length + bcc.length, 0);
  if (count > recipientCountMax) issues.add("tooManyRecipients", "personalizations");
  return read;
}

function readPersonalization(
  issues: Issues,
  personalization: JsonObject,
  { global, now, field }: Context & { readonly field: string },
): Personalization {
  const recipients = readRecipients(issues, personalization, field);
  const subject = issues.string(personalization["subject"] ?? undefined, `${field}.subject`) ?? null;
  if (subject === "" && global.template === null) issues.add("subjectEmpty", `${field}.subject`);
  const headers = readHeaders(issues, personalization["headers"], `${field}.headers`);
  const sendAt = checkSendAt(issues, personalization["send_at"], { field: `${field}.send_at`, now });
  return {
    ...recipients,
    from: readFrom(issues, personalization["from"], { global, field }),
    subject,
    headers: [...new Map([...global.headers, ...headers]).values()],
    customArgs: readCustomArgs(issues, personalization["custom_args"], { global, field }),
    ...readData(issues, personalization, { global, field }),
    sendAt: personalization["send_at"] === undefined ? global.sendAt : sendAt,
  };
}

interface Place {
  readonly global: GlobalMembers;
  readonly field: string;
}

function readFrom(issues: Issues, value: unknown, { global, field }: Place): DraftMailbox | null {
  if (isAbsent(value)) return null;
  const from = readMailbox(issues, value, { path: `${field}.from`, kind: "from" });
  if (from === undefined || global.from === undefined) return null;
  if (domainOf(from) !== domainOf(global.from)) issues.add("fromDomain", `${field}.from`);
  return from;
}

function domainOf({ address }: DraftMailbox): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

function readCustomArgs(issues: Issues, value: unknown, { global, field }: Place): Readonly<Record<string, string>> {
  const path = `${field}.custom_args`;
  const own = issues.strings(value ?? undefined, path, "customArgsValues");
  const merged = { ...global.customArgs, ...own };
  if (bytesOf(merged) > customArgsBytesMax) issues.add("customArgsSize", path);
  return merged;
}

function readData(
  issues: Issues,
  personalization: JsonObject,
  { global, field }: Place,
): Pick<Personalization, "substitutions" | "templateData"> {
  const path = `${field}.substitutions`;
  const substitutions = issues.strings(personalization["substitutions"] ?? undefined, path, "substitutionValues");
  if (bytesOf(substitutions) > substitutionsBytesMax) issues.add("substitutionSize", path);
  const dataPath = `${field}.dynamic_template_data`;
  const templateData = issues.object(personalization["dynamic_template_data"] ?? undefined, dataPath) ?? {};
  if (global.template === "dynamic" && Object.keys(substitutions).length > 0) {
    issues.add("substitutionsOfDynamic", path);
  }
  if (global.template === "legacy" && Object.keys(templateData).length > 0) issues.add("dataOfLegacy", dataPath);
  return { substitutions, templateData };
}

function bytesOf(members: Readonly<Record<string, string>>): number {
  return Object.entries(members).reduce((sum, [name, value]) => sum + Buffer.byteLength(name + value), 0);
}
