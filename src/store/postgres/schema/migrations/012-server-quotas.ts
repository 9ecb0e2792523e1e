/**
 * Quotas of servers, null where the default applies, and the bytes that each server holds. `bytes` of a message is its
 * share; null in older rows, which count with their recorded sizes, or with whole chunks where none is recorded. Older
 * programs would not update these counts.
 */
export const serverQuotas = `
alter table server add column quota_messages bigint;
alter table server add column quota_bytes bigint;
alter table server add column byte_count bigint not null default 0;
alter table message add column bytes bigint;
update server s set byte_count = held.bytes from (
  select server_id, epoch, sum(
    coalesce(detail_size, octet_length(detail) + detail_chunk_count * 1048576, 0)::bigint
    + coalesce(raw_size, octet_length(raw) + raw_chunk_count * 1048576, 0)::bigint)::bigint as bytes
  from message group by server_id, epoch
) held where held.server_id = s.server_id and held.epoch = s.epoch;
`;
