/** Phone numbers of servers, managed with an account key. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { invalidField, notFound } from "../../core/errors.ts";
import { checkAll, FieldCollector } from "../../core/field-collector.ts";
import { foldText } from "../../core/fold.ts";
import { type OwnedNumber, parsePhoneNumber, type ProviderAccount } from "../../core/phone-number.ts";
import { build, orNull, type ValueOf } from "../../core/schema.ts";
import { baseUrl, phoneNumber, webUrl } from "../../core/text-schemas.ts";
import { trimEnd } from "../../core/trim.ts";
import type { Provider, SmsCredentials } from "../../providers/provider.ts";
import { defaultProviderName, findSmsProvider, smsProviders } from "../../providers/registry.ts";
import type { Context } from "../context.ts";
import { openServer, requireAccount } from "../services/security/access.ts";
import { openNumberSecrets, sealNumberSecrets } from "../services/security/stored-secrets.ts";

const urlLengthMax = 4000;
const secretLengthMax = 256;

/** Returns the names that the providers have for a credential: `Acme: account id; Other: API key`. */
function eachProvider(nameOf: (credentials: SmsCredentials) => string | null): string {
  return smsProviders
    .flatMap(({ label, sms }) => {
      const name = nameOf(sms.credentials);
      return name === null ? [] : [`${label}: ${name}`];
    })
    .join("; ");
}

/** As in URL paths and user names of Basic authentication. */
const accountName = "^[A-Za-z0-9_-]{1,64}$";

const accountRequestSchema = build.partial({
  id: build.string({ pattern: accountName, description: `${eachProvider(({ accountId }) => accountId)}; required.` }),
  key: build.string({ pattern: accountName, description: `${eachProvider(({ accountKey }) => accountKey)}.` }),
  secret: build.string({
    maxLength: secretLengthMax,
    description: `${eachProvider(({ accountSecret }) => accountSecret)}; required, never shown again.`,
  }),
  apiUrl: baseUrl({ maxLength: urlLengthMax, description: "Base URL instead of the provider's own." }),
});

/** Request body that adds a phone number to a server. */
export const numberRequestSchema = build.partial({
  number: phoneNumber("In international form; required."),
  server: build.string("Id of its server; required."),
  provider: build.enum(smsProviders.map(({ name }) => name)),
  secret: build.string({
    maxLength: secretLengthMax,
    description: "What the provider signs with; never shown again.",
  }),
  webhook: webUrl({ maxLength: urlLengthMax, description: "The application's inbound webhook." }),
  account: accountRequestSchema,
});

/** Fields of a new phone number; the provider is {@link defaultProviderName} when absent. */
type NumberRequest = ValueOf<typeof numberRequestSchema>;

/** Request body that changes a phone number; null removes. */
export const numberChangeSchema = build.partial({
  server: build.string("Id of the server that the number moves to."),
  provider: build.enum(smsProviders.map(({ name }) => name)),
  secret: orNull(
    build.string({ maxLength: secretLengthMax, description: "New signing secret; null for unsigned SMS." }),
  ),
  webhook: orNull(webUrl({ maxLength: urlLengthMax, description: "New inbound webhook; null for none." })),
  account: orNull(accountRequestSchema),
});

/** Phone number without its secrets. */
export interface ShownNumber extends Omit<OwnedNumber, "sealedSecrets"> {
  /** True when webhooks are signed. */
  readonly signed: boolean;
  /** True when the provider can send replies. */
  readonly sends: boolean;
}

/** Adds a number to a server. Rejects with `forbidden`, `not_found`, `conflict`, or a 400 that names every wrong field. */
export async function addPhoneNumber(
  context: Context,
  principal: Principal,
  request: NumberRequest,
): Promise<ShownNumber> {
  requireAccount(principal);
  const { number, webhook, account, provider, secret } = readNumberRequest(context, request);
  const { id: server } = await openServer(context, principal, request.server ?? "");
  const id = randomUUID();
  const sealedSecrets = sealNumberSecrets(context.secrets, id, { signing: secret, account });
  const own: OwnedNumber = { id, number, server, provider, sealedSecrets, webhook, createdAt: context.clock.now() };
  await context.store.phoneNumbers.addPhoneNumber(own);
  return showNumber(context, own);
}

/** Decoded fields of a new number. */
interface DecodedNumber {
  readonly number: string;
  readonly provider: string;
  readonly secret: string | null;
  readonly webhook: string | null;
  readonly account: ProviderAccount | null;
}

/**
 * Decodes a request; throws a 400 that names every wrong field. `wrong` has the fields that have the wrong type: accounts
 * of an unknown provider are not checked.
 */
export function readNumberRequest(
  context: Context,
  request: NumberRequest,
  wrong: ReadonlySet<string> = new Set(),
): DecodedNumber {
  const { provider = defaultProviderName, secret = null, webhook = null } = request;
  const errors = new FieldCollector();
  const number = parsePhoneNumber(request.number ?? "");
  if (number === undefined) {
    errors.add({ field: "number", description: "Must be in international form, such as +15550100", code: "invalid" });
  }
  if (request.server === undefined) errors.add({ field: "server", description: "Name a server", code: "required" });
  errors.collect(() => checkWebhook(context, webhook));
  errors.collect(() => checkSecretLength("secret", secret ?? ""));
  const isKnown = errors.collect(() => openProvider(provider)) !== undefined && !wrong.has("provider");
  const account = isKnown ? errors.collect(() => readAccountOf(context, request.account, provider)) : null;
  errors.finish();
  return { number: number ?? "", provider, secret, webhook, account: account ?? null };
}

/** Throws a 400 on `webhook` when the URL is not allowed; null for none. */
export function checkWebhook(context: Context, url: string | null): void {
  if (url !== null) checkTarget(context, { field: "webhook", url, ownOrigins: null });
}

/** Returns the provider with this name; throws a 400 on `provider` for an unknown one. */
export function openProvider(name: string): Provider {
  const provider = findSmsProvider(name);
  if (provider === undefined) throw invalidField("provider", "Must name a provider that the service knows");
  return provider;
}

/** Returns the decoded account; null when none is given. Throws a 400 that names every wrong field. */
export function readAccountOf(
  context: Context,
  request: NumberRequest["account"],
  provider: string,
): ProviderAccount | null {
  if (request === undefined) return null;
  const account = readAccount(request);
  checkAccountTarget(context, account, provider);
  return account;
}

/** Throws a 400 on `account.apiUrl` where the operator has not allowed it for this provider. */
export function checkAccountTarget(
  context: Context,
  { apiUrl }: Pick<ProviderAccount, "apiUrl">,
  provider: string,
): void {
  if (apiUrl === null) return;
  checkTarget(context, { field: "account.apiUrl", url: apiUrl, ownOrigins: openProvider(provider).apiOrigins });
}

/** Returns all numbers, sorted. Rejects with `forbidden`. */
export async function listPhoneNumbers(context: Context, principal: Principal): Promise<readonly ShownNumber[]> {
  requireAccount(principal);
  return (await context.store.phoneNumbers.listPhoneNumbers()).map((number) => showNumber(context, number));
}

/** Removes a number; its SMS stay. Rejects with `forbidden`, with `not_found`. */
export async function removePhoneNumber(context: Context, principal: Principal, id: string): Promise<void> {
  requireAccount(principal);
  if (!(await context.store.phoneNumbers.removePhoneNumber(id))) throw notFound("Phone number");
}

/** Returns the number as callers see it. */
export function showNumber(context: Context, { sealedSecrets, ...shown }: OwnedNumber): ShownNumber {
  const secrets = openNumberSecrets(context.secrets, { id: shown.id, sealedSecrets });
  return { ...shown, signed: (secrets?.signing ?? null) !== null, sends: (secrets?.account ?? null) !== null };
}

/** Account ids are used in URL paths and as Basic user names. */
const accountIdPattern = /^[A-Za-z0-9_-]{1,64}$/;

function readAccount({ id = "", key = null, secret = "", apiUrl = null }: Partial<ProviderAccount>): ProviderAccount {
  checkAll(
    () => checkAccountId("account.id", id),
    () => (key === null ? undefined : checkAccountId("account.key", key)),
    () => checkAccountSecret(secret),
    () => checkApiUrl(apiUrl),
  );
  return { id, key, secret, apiUrl: apiUrl === null ? null : trimEnd(apiUrl, "/") };
}

function checkAccountSecret(secret: string): void {
  if (secret === "") throw invalidField("account.secret", "An account needs its secret", "required");
  checkSecretLength("account.secret", secret);
}

function checkApiUrl(apiUrl: string | null): void {
  if (apiUrl === null || (isWebUrl(apiUrl) && !/[?#]/.test(apiUrl))) return;
  throw invalidField("account.apiUrl", "Must be an http or https URL without query and fragment");
}

/** Throws a 400 when the target is not allowed; every call checks it again. */
function checkTarget(
  { settings }: Context,
  { field, url, ownOrigins }: { readonly field: string; readonly url: string; readonly ownOrigins: RegExp | null },
): void {
  if (!isWebUrl(url)) throw invalidField(field, "Must be an http or https URL");
  const refusal = settings.targets.refuseUrl(url, ownOrigins);
  if (refusal !== null) throw invalidField(field, refusal);
}

function checkAccountId(field: string, id: string): void {
  if (accountIdPattern.test(id)) return;
  throw invalidField(field, "Must be 1 to 64 letters, digits, hyphens and underscores");
}

/** Throws a 400 when a secret is longer than 256 characters. */
export function checkSecretLength(field: string, secret: string): void {
  if (secret.length <= secretLengthMax) return;
  throw invalidField(field, `At most ${String(secretLengthMax)} characters`, "too_long");
}

function isWebUrl(text: string): boolean {
  const url = text.length > urlLengthMax ? null : URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

// Approved phrases: the only texts of SMS that tests may send, to prevent abuse.

const phraseCountMax = 1000;
const phraseLengthMax = 160;

/** Returns the current phrases: those set last, else those of the settings. */
export async function getApprovedPhrases(context: Context): Promise<readonly string[]> {
  return (await context.store.phrases.getPhrases()) ?? context.settings.approvedPhrases;
}

/** Replaces all phrases, trimmed and without duplicates. Rejects with `forbidden` or a 400 on `phrases`. */
export async function setApprovedPhrases(
  context: Context,
  principal: Principal,
  phrases: readonly string[] | undefined,
): Promise<readonly string[]> {
  requireAccount(principal);
  if (phrases === undefined) throw invalidField("phrases", "Give a list of phrases", "required");
  const byFold = new Map(phrases.map((phrase) => [foldText(phrase.trim()), phrase.trim()]));
  byFold.delete("");
  const kept = Array.from(byFold.values());
  if (kept.length > phraseCountMax || kept.some((phrase) => phrase.length > phraseLengthMax)) {
    const bounds = `${String(phraseCountMax)} phrases of at most ${String(phraseLengthMax)} characters`;
    throw invalidField("phrases", `At most ${bounds}`, "too_long");
  }
  await context.store.phrases.setPhrases(kept);
  return kept;
}

/** Throws a 400 on `text` unless it is an approved phrase, regardless of letter case and surrounding blanks. */
export async function checkPhrase(context: Context, text: string): Promise<void> {
  const wanted = foldText(text.trim());
  const approved = await getApprovedPhrases(context);
  if (approved.some((phrase) => foldText(phrase.trim()) === wanted)) return;
  throw invalidField("text", "Only approved phrases may be sent", "not_approved");
}
