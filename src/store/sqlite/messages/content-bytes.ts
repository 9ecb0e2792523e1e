/** SQL expression over a row `c` of `content`: the size that `storedBytes` returns. */
export const contentBytes: string = `(coalesce(c.detail_size, length(c.detail)) + coalesce(c.raw_size, case c.raw_chunk_count
  when 0 then length(c.raw)
  else (select sum(length(r.bytes)) from raw_chunk r where r.number between c.number * 65536 and c.number * 65536 + 65535)
  end, 0))`;

/** Statement that recounts the bytes of every server. */
export const recountBytes: string = `update server set byte_count = coalesce((select sum(${contentBytes})
  from message m join content c on c.number = m.content where m.epoch = server.epoch), 0)
  + coalesce((select sum(a.size) from annotation a join message m on m.epoch = a.epoch and m.id = a.id
    where a.epoch = server.epoch), 0);`;
