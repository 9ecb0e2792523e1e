/**
 * Quotas of servers, null where the default applies, and the bytes that each server stores: its raw bytes and details before
 * compression.
 */
export const serverQuotas = `
alter table server add column quota_messages integer;
alter table server add column quota_bytes integer;
alter table server add column byte_count integer not null default 0;
update server set byte_count = coalesce((
  select sum(coalesce(c.detail_size, length(c.detail)) + coalesce(c.raw_size, case c.raw_chunk_count
    when 0 then length(c.raw)
    else (select sum(length(r.bytes)) from raw_chunk r where r.number between c.number * 65536 and c.number * 65536 + 65535)
    end, 0))
  from message m join content c on c.number = m.content where m.epoch = server.epoch), 0);
`;
