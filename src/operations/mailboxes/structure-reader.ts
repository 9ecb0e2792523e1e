import type { MessageId } from "../../core/ids.ts";
import { readStructure } from "../../mime/structure/read-structure.ts";
import type { MessageStructure } from "../../mime/structure/structure.ts";
import type { RawContent } from "../../store/raw-content.ts";
import type { WorkerCaller } from "../../workers/worker-rpc.ts";
import { inspectStored, type InspectStoredContext } from "../services/inspection/inspect-stored.ts";
import { cheapLimits, isCheapToRead } from "../services/reading/reading-cost.ts";
import { openMail } from "./open-mail.ts";

/** Reader of the part trees of mails. */
export interface StructureReader {
  /**
   * Returns the part tree of a mail, with the mails in it; undefined when the message no longer exists. A large mail is read in
   * the process of the inspector, once while its structure is kept. Rejects as the inspector does.
   */
  read(id: MessageId, caller: WorkerCaller): Promise<MessageStructure | undefined>;
}

/** Structures of large mails that are kept; one of a mail with the most parts has about a megabyte. */
const keptCountMax = 16;

/** Creates a reader of part trees. It keeps the last structures of large mails, whose parts clients fetch one by one. */
export function createStructureReader(context: InspectStoredContext): StructureReader {
  const kept = new Map<MessageId, MessageStructure>();
  const keep = (id: MessageId, structure: MessageStructure): void => {
    kept.delete(id);
    kept.set(id, structure);
    const [oldest] = kept.keys();
    if (kept.size > keptCountMax && oldest !== undefined) kept.delete(oldest);
  };
  return {
    async read(id, caller) {
      const mail = await openMail(context, id);
      if (mail === undefined) {
        kept.delete(id);
        return undefined;
      }
      const small = mail.sizeBytes <= cheapLimits.mailBytesMax ? await readAll(mail) : null;
      if (small !== null && isCheapToRead(small)) return readStructure(small, context.limits);
      const inspection = { kind: "structure" } as const;
      const structure =
        kept.get(id) ?? (await inspectStored(context, { id, sizeBytes: mail.sizeBytes, inspection }, caller));
      keep(id, structure);
      return structure;
    },
  };
}

async function readAll(mail: RawContent): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of mail.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
