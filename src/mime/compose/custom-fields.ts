/** Custom header field. */
export type CustomField = readonly [name: string, value: string];

/** Names of fields that the members of a composed mail determine, in lower case. */
const determined: ReadonlySet<string> = new Set(["from", "to", "cc", "bcc", "subject", "date", "message-id"]);
const mimeField = /^(?:mime-version$|content-)/;
/** Field name (RFC 5322 §2.2). */
const fieldName = /^[!-9;-~]{1,200}$/;
/** Maximum number of custom fields of one mail. */
const countMax = 500;

/**
 * Returns the fields that may be added to a composed mail, in order: valid names that no member of the mail determines;
 * `Reply-To` only when it has no reply addresses. At most 500.
 */
export function customFields(
  fields: readonly CustomField[],
  { hasReplyTo }: { readonly hasReplyTo: boolean },
): readonly CustomField[] {
  return fields
    .filter(([name]) => {
      const lower = name.toLowerCase();
      const isTaken = determined.has(lower) || mimeField.test(lower) || (hasReplyTo && lower === "reply-to");
      return fieldName.test(name) && !isTaken;
    })
    .slice(0, countMax);
}
