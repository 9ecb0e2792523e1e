/** Finds messages that an older program stored without search fields. Empty when they have been filled in. */
export const missingFields = `
create index if not exists subject_without_fields on subject (id) where fields is null;
`;
