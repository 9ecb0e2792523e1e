/** Annotations count against the quotas of servers. */
export const annotationBytes = `
update server set byte_count = byte_count + coalesce((
  select sum(a.size) from annotation a join message m on m.epoch = a.epoch and m.id = a.id
  where a.epoch = server.epoch), 0);
`;
