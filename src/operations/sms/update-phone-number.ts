import type { Context } from "../context.ts";
import type { Principal } from "../../core/api-key.ts";
import { invalidField, Problem } from "../../core/errors.ts";
import { checkAll, FieldCollector } from "../../core/field-collector.ts";
import {
  parsePhoneNumber,
  type NumberSecrets,
  type OwnedNumber,
  type ProviderAccount,
} from "../../core/phone-number.ts";
import type { ValueOf } from "../../core/schema.ts";
import type { PhoneNumberChange } from "../../store/permission-stores.ts";
import { openServer, orNotFound, requireAccount } from "../services/security/access.ts";
import { openNumberSecrets, sealNumberSecrets } from "../services/security/stored-secrets.ts";
import {
  checkAccountTarget,
  checkSecretLength,
  checkWebhook,
  openProvider,
  readAccountOf,
  showNumber,
  type numberChangeSchema,
  type ShownNumber,
} from "./phone-numbers.ts";

/** Fields of a request that changes a phone number. Absent ones stay as they are; null removes. */
export type NumberChangeRequest = ValueOf<typeof numberChangeSchema>;

/** Changed fields, decoded; absent ones stay as they are. */
interface DecodedChange {
  readonly webhook?: string | null;
  readonly signing?: string | null;
  readonly account?: ProviderAccount | null;
}

/**
 * Changes a phone number, which is named in international form or by its id. Rejects with `forbidden`, with `not_found` for
 * the number or the server, with a 400 that names every wrong field, and with `conflict` when secrets that stay were sealed
 * with another secret key.
 */
export async function updatePhoneNumber(
  context: Context,
  principal: Principal,
  { number: numberText, change }: { readonly number: string; readonly change: NumberChangeRequest },
): Promise<ShownNumber> {
  requireAccount(principal);
  const present = orNotFound(await findNumber(context, numberText), "Phone number");
  const provider = change.provider ?? present.provider;
  if (change.provider !== undefined) openProvider(provider);
  const { webhook, ...secrets } = decodeChange(context, change, provider);
  const server = change.server === undefined ? undefined : (await openServer(context, principal, change.server)).id;
  const sealedSecrets = sealChanged(context, present, { secrets, provider });
  const stored: PhoneNumberChange = {
    provider,
    ...(server !== undefined && { server }),
    ...(webhook !== undefined && { webhook }),
    ...(sealedSecrets !== undefined && { sealedSecrets }),
  };
  const updated = await context.store.phoneNumbers.updatePhoneNumber(present.id, stored);
  return showNumber(context, orNotFound(updated, "Phone number"));
}

async function findNumber({ store: { phoneNumbers } }: Context, text: string): Promise<OwnedNumber | undefined> {
  const number = parsePhoneNumber(text);
  if (number !== undefined) return await phoneNumbers.findPhoneNumber(number);
  const id = text.toLowerCase();
  return (await phoneNumbers.listPhoneNumbers()).find((one) => one.id === id);
}

/** Throws a 400 that names every wrong field except those of the account, which depend on the stored provider. */
export function checkNumberChange(context: Context, { secret, webhook }: NumberChangeRequest): void {
  checkAll(
    () => checkWebhook(context, webhook ?? null),
    () => checkSecretLength("secret", secret ?? ""),
  );
}

function decodeChange(context: Context, change: NumberChangeRequest, provider: string): DecodedChange {
  const { secret, webhook, account } = change;
  const errors = new FieldCollector();
  errors.collect(() => checkNumberChange(context, change));
  const decoded = account === null ? null : errors.collect(() => readAccountOf(context, account, provider));
  errors.finish();
  return {
    ...(webhook !== undefined && { webhook }),
    ...(secret !== undefined && { signing: secret }),
    ...(account !== undefined && { account: decoded ?? null }),
  };
}

/** Returns the sealed secrets with the change; undefined when they stay as they are. */
function sealChanged(
  context: Context,
  present: OwnedNumber,
  { secrets, provider }: { readonly secrets: Partial<NumberSecrets>; readonly provider: string },
): Uint8Array | null | undefined {
  const known = openNumberSecrets(context.secrets, present);
  if (provider !== present.provider && secrets.account === undefined) requireSameAccount(context, known, provider);
  const { signing = known?.signing, account = known?.account } = secrets;
  if (secrets.signing === undefined && secrets.account === undefined) return undefined;
  if (signing === undefined || account === undefined) throw sealedElsewhere();
  return sealNumberSecrets(context.secrets, present.id, { signing, account });
}

/** Throws a 400 when the stored account cannot be used with another provider. */
function requireSameAccount(context: Context, known: NumberSecrets | undefined, provider: string): void {
  if (known === undefined) throw sealedElsewhere();
  if (known.account === null) return;
  if (known.account.apiUrl === null) {
    throw invalidField("account", "Another provider needs another account; null removes the current one", "required");
  }
  checkAccountTarget(context, known.account, provider);
}

function sealedElsewhere(): Problem {
  const text =
    "The secrets of this number were sealed with another secret key; restore that key, or set both secret and account";
  return new Problem("conflict", { text });
}
