import type { Principal } from "../../core/api-key.ts";
import type { Page } from "../../core/criteria.ts";
import type { AuditPage } from "../../store/audit-store.ts";
import { requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Returns a page of the audit log, newest first; rejects with `forbidden`. */
export async function listAudit(
  { store }: Pick<Context, "store">,
  principal: Principal,
  { page, itemsPerPage }: Pick<Page, "page" | "itemsPerPage">,
): Promise<AuditPage> {
  requireAccount(principal);
  return await store.audit.listAudit(page, itemsPerPage);
}
