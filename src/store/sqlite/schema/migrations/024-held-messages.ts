/**
 * Messages that were accepted and are held until they become visible; `held_bytes` is null for scheduled ones. `is_deleted`
 * marks those whose server was emptied or deleted: their bytes are removed in small steps.
 */
export const heldMessages = `
alter table scheduled_email add column accepted_at real;
alter table scheduled_email add column held_bytes integer;
alter table scheduled_email add column is_deleted integer not null default 0;
create index scheduled_email_held on scheduled_email (server, held_bytes) where held_bytes is not null;
`;
