/**
 * Secrets of numbers are sealed by the service, which alone has the key: a first byte of 0 marks unsealed ones until the next
 * start seals them. Also counts outbound messages of the current hour.
 */
export const sealedNumbers = `
alter table phone_number add column sealed_secrets blob;
update phone_number set sealed_secrets = unhex('00' || hex(secret)) where secret is not null;
alter table phone_number drop column secret;

alter table state add column leaving_started_at real not null default 0;
alter table state add column leaving_count integer not null default 0;
`;
