/**
 * Finds messages with an attachment, an inline part or a one-time code: those whose search fields have a value in the seventh,
 * eighth or tenth part, and those with missing or outdated fields, of which it is not known.
 */
export const presentParts: string = `
create index if not exists subject_with_attachment on subject (epoch, id) where ${hasValue(6)};
create index if not exists subject_with_inline on subject (epoch, id) where ${hasValue(7)};
create index if not exists subject_with_code on subject (epoch, id) where ${hasValue(9)};
`;

/** Returns the condition that of ten parts, each with a separator behind it, the one after `count` others has a value. */
function hasValue(count: number): string {
  const pattern = `${"*\u0001".repeat(count)}\n${"*\u0001".repeat(10 - count)}\u0002`;
  return `(fields is null or substr(fields, -1) <> char(2)) or fields glob '${pattern}'`;
}
