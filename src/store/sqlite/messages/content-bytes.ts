/** SQL expression over a row `c` of `content`: the size that `storedBytes` returns. */
export const contentBytes: string = "(coalesce(c.detail_size, 0) + coalesce(c.raw_size, 0))";

/** Statement that recounts the bytes of every server. */
export const recountBytes: string = `update server set byte_count = coalesce((select sum(${contentBytes})
  from message m join content c on c.number = m.content where m.epoch = server.epoch), 0)
  + coalesce((select sum(a.size) from annotation a join message m on m.epoch = a.epoch and m.id = a.id
    where a.epoch = server.epoch), 0);`;
