import type { Principal } from "../../core/api-key.ts";
import type { ScanReport } from "../../core/scanner.ts";
import type { Context } from "../context.ts";
import { openMessageId, orNotFound } from "../services/security/access.ts";
import { decodeScanReport } from "./scan-message.ts";

/** Returns the scan of a message. Rejects with `not_found` when there is no such message, or it was not scanned. */
export async function getScan(
  { store }: Pick<Context, "store">,
  principal: Principal,
  idText: string,
): Promise<ScanReport> {
  const id = openMessageId(principal, idText);
  return decodeScanReport(orNotFound(await store.annotations.getAnnotation(id, "scan"), "Scan"));
}
