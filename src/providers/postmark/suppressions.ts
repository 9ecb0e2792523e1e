/** Suppressions of a message stream (https://postmarkapp.com/developer/api/suppressions-api). */
import { createHash } from "node:crypto";
import { isStream } from "./account.ts";
import { fieldOf } from "../formats/form.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import {
  jsonResponse,
  type ProviderEndpoint,
  type ProviderRequest,
  type ProviderResponse,
  type ProviderServices,
  type ProviderSession,
} from "../provider.ts";
import { PostmarkRejection, texts, withRejections } from "./errors.ts";
import { readFields } from "./fields.ts";
import { instantText } from "./response.ts";

const kind = "suppression";
/** Addresses of one request. */
const addressCountMax = 50;

/** Suppressed address of a stream. */
interface Suppression {
  readonly EmailAddress: string;
  readonly SuppressionReason: string;
  readonly Origin: string;
  readonly CreatedAt: string;
  readonly stream: string;
}

type Handler = NonNullable<ProviderEndpoint["handle"]>;

/** Creates suppressions: `POST /message-streams/:id/suppressions`. */
export const createSuppressions: Handler = async (request, services) =>
  changeAll(request, services, async (session, { stream, address }) => {
    if (!isEmailAddress(address)) return { Status: "Failed", Message: "The email address is not valid." };
    const value: Suppression = {
      EmailAddress: address,
      SuppressionReason: "ManualSuppression",
      Origin: "Customer",
      CreatedAt: instantText(services.now()),
      stream,
    };
    await session.objects.put(kind, idOf(stream, address), { value });
    return { Status: "Suppressed", Message: null };
  });

/** Deletes suppressions: `POST /message-streams/:id/suppressions/delete`. */
export const deleteSuppressions: Handler = async (request, services) =>
  changeAll(request, services, async (session, { stream, address }) => {
    await session.objects.remove(kind, idOf(stream, address));
    return { Status: "Deleted", Message: null };
  });

/** Lists suppressions: `GET /message-streams/:id/suppressions/dump`. */
export const listSuppressions: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "read");
  const all = await readSuppressions(session);
  const wanted = fieldOf(request.fields, "EmailAddress") ?? fieldOf(request.fields, "emailaddress");
  const own = all.filter(
    ({ stream, EmailAddress }) =>
      stream === request.params["id"] && (wanted === undefined || EmailAddress === wanted.toLowerCase()),
  );
  return jsonResponse(200, { Suppressions: own.map(({ stream: _stream, ...shown }) => shown) });
};

/** Returns the suppressed addresses by stream, as `stream address`. */
export async function suppressedAddresses(session: ProviderSession): Promise<ReadonlySet<string>> {
  const all = await readSuppressions(session);
  return new Set(all.map(({ stream, EmailAddress }) => `${stream} ${EmailAddress}`));
}

async function readSuppressions({ objects }: ProviderSession): Promise<readonly Suppression[]> {
  const all: Suppression[] = [];
  for (;;) {
    const page = await objects.list(kind, all.length);
    all.push(...page.map(({ value }) => value as Suppression));
    if (page.length === 0) return all;
  }
}

interface Entry {
  readonly stream: string;
  /** In lower case. */
  readonly address: string;
}

async function changeAll(
  request: ProviderRequest,
  services: ProviderServices,
  change: (session: ProviderSession, entry: Entry) => Promise<Readonly<Record<string, string | null>>>,
): Promise<ProviderResponse> {
  return withRejections(async () => {
    const session = await services.authenticate(request.key, "send");
    const stream = request.params["id"] ?? "";
    if (!isStream(stream)) throw new PostmarkRejection(1226, texts.streamMissing);
    const addresses = readFields(request)
      .objects("Suppressions")
      .map((one) => (one.text("EmailAddress") ?? "").toLowerCase());
    if (addresses.length > addressCountMax) {
      throw new PostmarkRejection(403, `A request may have up to ${addressCountMax} suppressions.`);
    }
    const statuses = [];
    for (const address of addresses) {
      statuses.push({ EmailAddress: address, ...(await change(session, { stream, address })) });
    }
    return jsonResponse(200, { Suppressions: statuses });
  });
}

function idOf(stream: string, address: string): string {
  return createHash("sha256").update(`${stream} ${address}`).digest("hex");
}
