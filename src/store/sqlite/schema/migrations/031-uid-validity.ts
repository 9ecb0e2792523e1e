/**
 * UIDVALIDITY of the mailboxes of each server, and the greatest one. Null for servers that exist already: theirs is the
 * instant of their creation, in seconds.
 */
export const uidValidity = `
alter table server add column uid_validity integer;
alter table state add column uid_validity integer not null default 0;
`;
