/** Annotations count against the quotas of servers. Older programs would not update these counts. */
export const annotationBytes = `
update server s set byte_count = s.byte_count + counted.bytes from (
  select a.server_id, a.epoch, sum(a.size)::bigint as bytes
  from annotation a
  join message m on m.server_id = a.server_id and m.epoch = a.epoch and m.slot = a.slot
  group by a.server_id, a.epoch
) counted where counted.server_id = s.server_id and counted.epoch = s.epoch;
`;
