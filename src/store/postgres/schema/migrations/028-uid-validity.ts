/**
 * UIDVALIDITY of the mailboxes of each server, and the greatest one. Null for servers that exist already or are created by an
 * older program: theirs is the instant of their creation, in seconds.
 */
export const uidValidity = `
alter table server add column uid_validity bigint;
alter table state add column uid_validity bigint not null default 0;
`;
