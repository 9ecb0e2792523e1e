import type { DnsSource } from "../../../authentication/dns.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import type { WorkerCaller } from "../../../workers/worker-rpc.ts";
import { orNotFound } from "../security/access.ts";
import type { Context } from "../../context.ts";
import { inspectMail, type Inspection, type InspectionResults } from "./inspection.ts";
import { cheapLimits, isCheapToRead } from "../reading/reading-cost.ts";

/** Inspection of a stored mail. */
interface StoredInspection<Kind extends Inspection["kind"]> {
  readonly id: MessageId;
  /** Size of the raw mail in bytes. */
  readonly sizeBytes: number;
  readonly inspection: Extract<Inspection, { kind: Kind }>;
  /** Size of the inspection's own content in bytes, such as new attachments. */
  readonly inspectionBytes?: number;
}

/**
 * Inspects a stored mail: on this thread when that takes some milliseconds at most, else on the inspector's. Rejects with
 * `not_found` when the mail is deleted, and as the inspector does.
 */
export async function inspectStored<Kind extends Inspection["kind"]>(
  { store, inspector, limits }: Context,
  { id, sizeBytes, inspection, inspectionBytes = 0 }: StoredInspection<Kind>,
  caller: WorkerCaller,
): Promise<InspectionResults[Kind]> {
  const load = async (): Promise<Uint8Array> => orNotFound(await store.getRaw(id), "Message");
  const { mailBytesMax } = cheapLimits;
  if (sizeBytes > mailBytesMax || inspectionBytes > mailBytesMax) {
    return await inspector.inspect<Kind>(load, inspection, caller);
  }
  const raw = await load();
  return isCheapToRead(raw)
    ? ((await inspectMail(raw, inspection, limits)) as InspectionResults[Kind])
    : await inspector.inspect<Kind>(async () => raw, inspection, caller);
}

/** Returns the zone file of a server, or the DNS of the service where it has none. */
export async function dnsOf(context: Context, server: ServerId): Promise<DnsSource> {
  const zone = await context.store.getZone(server);
  return zone === undefined ? context.settings.dns : { kind: "fixtures", zone };
}
