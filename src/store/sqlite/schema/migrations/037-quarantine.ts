/**
 * Quarantine of work that ends the process: claims that no outcome has followed, and the instant since which a row is not
 * claimed. Quarantined rows have no `due_at`.
 */
export const quarantine = `
drop index scan_server;
drop index scan_due;
alter table scan rename column due_at to former_due_at;
alter table scan add column due_at real;
update scan set due_at = former_due_at;
alter table scan drop column former_due_at;
create index scan_server on scan (server, due_at);
create index scan_due on scan (due_at);
drop index scheduled_email_due;
alter table scheduled_email rename column due_at to former_due_at;
alter table scheduled_email add column due_at real;
update scheduled_email set due_at = former_due_at;
alter table scheduled_email drop column former_due_at;
create index scheduled_email_due on scheduled_email (due_at);
drop index reread_due;
alter table reread rename column due_at to former_due_at;
alter table reread add column due_at real;
update reread set due_at = former_due_at;
alter table reread drop column former_due_at;
create index reread_due on reread (due_at);
alter table outbox add column open_claims integer not null default 0;
alter table outbox add column quarantined_at real;
create index outbox_dead on outbox (due_at) where open_claims >= 2;
alter table callback_delivery add column open_claims integer not null default 0;
alter table callback_delivery add column quarantined_at real;
create index callback_delivery_dead on callback_delivery (due_at) where open_claims >= 2;
alter table scan add column open_claims integer not null default 0;
alter table scan add column quarantined_at real;
create index scan_dead on scan (due_at) where open_claims >= 2;
alter table scheduled_email add column open_claims integer not null default 0;
alter table scheduled_email add column quarantined_at real;
create index scheduled_email_dead on scheduled_email (due_at) where open_claims >= 2;
alter table reread add column lease text;
alter table reread add column open_claims integer not null default 0;
alter table reread add column quarantined_at real;
create index reread_dead on reread (due_at) where open_claims >= 2;
`;
