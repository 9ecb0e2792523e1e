/**
 * Raw bytes that are too large for one column have rows of 256 KiB, so that a download reads them chunk by chunk. The number
 * of a row is the number of its content times 65536 plus its position; a trigger deletes the rows with their content.
 */
export const rawChunks = `
alter table content add column raw_chunk_count integer not null default 0;
create table raw_chunk (
  number integer primary key,
  bytes blob not null
) strict;
create trigger raw_chunk_of_removed_content after delete on content when old.raw_chunk_count > 0 begin
  delete from raw_chunk where number between old.number * 65536 and old.number * 65536 + 65535;
end;
`;
