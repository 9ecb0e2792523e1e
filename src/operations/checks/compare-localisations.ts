import { languageTag, type LocalisedMail } from "../../analysis/localisation/read-localised-mail.ts";
import { directionOf } from "../../analysis/localisation/text-direction.ts";
import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import { localeComparisonSchema, type LocalisationFinding, type LocalisationReport } from "../../core/localisation.ts";
import { decodeStrictly } from "../../core/strict-decoder.ts";
import type { WorkerCaller } from "../../workers/worker-rpc.ts";
import type { Context } from "../context.ts";
import { inspectStored } from "../services/inspection/inspect-stored.ts";
import { getRawMessage } from "../services/reading/get-message.ts";
import { decodeDetail, decodeExcerpt } from "../services/reading/stored-detail.ts";
import { callerOf, openMessageId, orNotFound } from "../services/security/access.ts";
import { auditMail } from "./lint-message.ts";

/** Mail of the comparison. */
interface ComparedMail {
  readonly id: string;
  readonly locale: string;
  readonly mail: LocalisedMail;
}

/**
 * Compares a mail with its translations. `body` names the mails. Rejects with `not_found`, also for one SMS; with a 400 that
 * names every wrong member and mails whose locale is unknown; and as the inspector does.
 */
export async function compareLocalisations(
  context: Context,
  principal: Principal,
  { body }: { readonly body: unknown },
): Promise<LocalisationReport> {
  const { messages, default: given, keep = [] } = decodeStrictly(localeComparisonSchema, body ?? {});
  for (const { id } of messages) openMessageId(principal, id);
  const caller = callerOf(principal, context);
  const mails: ComparedMail[] = [];
  const errors = new FieldCollector();
  for (const [at, { id, locale }] of messages.entries()) {
    caller.signal?.throwIfAborted();
    const mail = await readMail(context, principal, id);
    const known = languageTag(locale ?? "") ?? mail.language;
    const description = "Name the locale: the mail has neither Content-Language nor lang";
    if (known === null) errors.add({ field: `messages[${String(at)}].locale`, description, code: "required" });
    else mails.push({ id, locale: known, mail });
  }
  errors.finish();
  const original = originalOf(mails, given);
  const compared = { mails: mails.map(({ locale, mail }) => ({ locale, mail })), original, keep };
  const load = async (): Promise<Uint8Array> => Buffer.from(JSON.stringify(compared));
  const found = await context.inspector.inspect(load, { kind: "locales" }, caller);
  const overflow = await measureAll(context, principal, { mails, caller });
  const locales = mails.map(({ id, locale, mail }, at) => ({
    locale,
    id,
    subject: mail.subject,
    direction: directionOf(locale),
    findings: [...(found[at] ?? []), ...(overflow.found[at] ?? [])],
  }));
  return {
    isMet: locales.every(({ findings }) => findings.length === 0),
    default: mails[original]?.locale ?? "",
    locales,
    overflowProblem: overflow.problem,
  };
}

interface MeasuredMails {
  readonly found: readonly (readonly LocalisationFinding[])[];
  readonly problem: string | null;
}

/** Measures overflowing text in the browser of previews, one mail after the other; the first problem ends it. */
async function measureAll(
  context: Context,
  principal: Principal,
  { mails, caller }: { readonly mails: readonly ComparedMail[]; readonly caller: WorkerCaller },
): Promise<MeasuredMails> {
  const found: (readonly LocalisationFinding[])[] = [];
  for (const { id, locale, mail } of mails) {
    caller.signal?.throwIfAborted();
    const load = async (): Promise<Uint8Array> => getRawMessage(context, principal, id);
    const { audit, problem } = mail.isHtml ? await auditMail(context, load, caller) : { audit: null, problem: null };
    if (problem !== null) return { found, problem };
    const texts = [...new Set(audit?.overflows)];
    found.push(
      texts.map((subject) => ({ rule: "overflow", message: `The text is larger than its box in ${locale}`, subject })),
    );
  }
  return { found, problem: null };
}

async function readMail(context: Context, principal: Principal, idText: string): Promise<LocalisedMail> {
  const id = openMessageId(principal, idText);
  const stored = orNotFound(await context.store.getDetail(id), "Message");
  // Rejects for an SMS.
  if (decodeDetail(stored).message.type === "SMS") await getRawMessage(context, principal, idText);
  const { sizeBytes } = decodeExcerpt(stored);
  return inspectStored(context, { id, sizeBytes, inspection: { kind: "localisedMail" } }, callerOf(principal, context));
}

/** Returns the index of the mail of the default locale. */
function originalOf(mails: readonly ComparedMail[], given: string | undefined): number {
  if (given === undefined) return 0;
  const locale = languageTag(given);
  const at = mails.findIndex((one) => one.locale === locale);
  if (at >= 0) return at;
  const known = mails.map((one) => one.locale).join(", ");
  throw invalidField("default", `Must be the locale of one of the mails: ${known}`, "unknown");
}
