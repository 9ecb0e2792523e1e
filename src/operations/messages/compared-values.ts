import { criterionTargets, type CriterionName, type LabelRole } from "../../core/criteria.ts";
import type { Contact, Summary } from "../../core/message.ts";
import type { StoredMessageDetail } from "../services/reading/stored-detail.ts";

/**
 * Returns the values of a message that a criterion is compared with. Those of the envelope and of providers are included
 * only with its detail; of the body only the excerpt of the summary.
 */
export function comparedValues(
  name: CriterionName,
  summary: Summary,
  detail: StoredMessageDetail | null,
): readonly string[] {
  const target = criterionTargets[name];
  if (target.kind === "text") return [target.field === "subject" ? summary.subject : summary.summary];
  if (target.kind === "label") return labelsOf(target.role, detail);
  return [...new Set(target.role === "from" ? sendersOf(summary, detail) : recipientsOf(summary, detail))];
}

function labelsOf(role: LabelRole, detail: StoredMessageDetail | null): readonly string[] {
  const origin = detail?.provider ?? null;
  if (origin === null) return [];
  return role === "tag" ? origin.tags : [role === "provider" ? origin.name : origin.id];
}

function sendersOf(summary: Summary, detail: StoredMessageDetail | null): readonly string[] {
  const mailFrom = detail?.metadata.mailFrom ?? null;
  return [...addressesOf(summary.from), ...(mailFrom === null ? [] : [mailFrom])];
}

function recipientsOf({ to, cc, bcc }: Summary, detail: StoredMessageDetail | null): readonly string[] {
  return addressesOf([...to, ...cc, ...bcc, ...(detail?.metadata.rcptTo ?? [])]);
}

function addressesOf(contacts: readonly Contact[]): readonly string[] {
  return contacts.flatMap(({ email, phone }) => email ?? phone ?? []);
}
