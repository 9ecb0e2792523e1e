/** Finds messages that an older program stored without search fields. Empty when they have been filled in. */
export const missingFields = `
create index if not exists message_without_fields on message (id) where fields is null;
`;
