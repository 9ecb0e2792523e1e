/**
 * Messages that were accepted and are held until they become visible; `held_bytes` is null for scheduled ones. `is_deleted`
 * marks those whose server was emptied or deleted: their bytes are removed in small steps. Older programs would store held
 * messages without their session.
 */
export const heldMessages = `
alter table scheduled_email add column accepted_at double precision;
alter table scheduled_email add column held_bytes bigint;
alter table scheduled_email add column is_deleted boolean not null default false;
create index scheduled_email_held on scheduled_email (server_id, held_bytes) where held_bytes is not null;
`;
