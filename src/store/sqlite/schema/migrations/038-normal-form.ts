/** Search fields in the normal form of the third version, with both forms of a domain. */
export const normalForm: string = indexesOfVersion(3);

/**
 * Returns the statements that follow a version of search fields of ten parts: the indexes of messages whose fields are outdated,
 * or have a value in a part, name the version. Segments of the text index count as without fields until they are built again.
 */
export function indexesOfVersion(version: number): string {
  return `
drop index if exists subject_with_outdated_fields;
create index subject_with_outdated_fields on subject (id) where fields is null or substr(fields, -1) <> char(${version});
drop index if exists subject_with_attachment;
create index subject_with_attachment on subject (epoch, id) where ${hasValue(6, version)};
drop index if exists subject_with_inline;
create index subject_with_inline on subject (epoch, id) where ${hasValue(7, version)};
drop index if exists subject_with_code;
create index subject_with_code on subject (epoch, id) where ${hasValue(9, version)};
update gram_segment set has_fields = 0;
`;
}

/** Returns the condition that of ten parts, each with a separator behind it, the one after `count` others has a value. */
function hasValue(count: number, version: number): string {
  const pattern = `${"*\u0001".repeat(count)}\n${"*\u0001".repeat(10 - count)}${String.fromCharCode(version)}`;
  return `(fields is null or substr(fields, -1) <> char(${version})) or fields glob '${pattern}'`;
}
