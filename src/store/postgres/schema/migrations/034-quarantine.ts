/**
 * Quarantine of work that ends the process: claims that no outcome has followed, and the instant since which a row is not
 * claimed. Quarantined rows have no `due_at`.
 */
export const quarantine = `
alter table scan alter column due_at drop not null;
alter table scheduled_email alter column due_at drop not null;
alter table reread alter column due_at drop not null;
alter table outbox add column if not exists open_claims integer not null default 0;
alter table outbox add column if not exists quarantined_at double precision;
create index if not exists outbox_dead on outbox (due_at) where open_claims >= 2;
alter table callback_delivery add column if not exists open_claims integer not null default 0;
alter table callback_delivery add column if not exists quarantined_at double precision;
create index if not exists callback_delivery_dead on callback_delivery (due_at) where open_claims >= 2;
alter table scan add column if not exists open_claims integer not null default 0;
alter table scan add column if not exists quarantined_at double precision;
create index if not exists scan_dead on scan (due_at) where open_claims >= 2;
alter table scheduled_email add column if not exists open_claims integer not null default 0;
alter table scheduled_email add column if not exists quarantined_at double precision;
create index if not exists scheduled_email_dead on scheduled_email (due_at) where open_claims >= 2;
alter table reread add column if not exists lease text;
alter table reread add column if not exists open_claims integer not null default 0;
alter table reread add column if not exists quarantined_at double precision;
create index if not exists reread_dead on reread (due_at) where open_claims >= 2;
`;
